import { pattern, patternWith } from '../../lib/text/pattern.js';
import { pairsOf } from '../../lib/text/unspaced-scripts.js';
import { fold, nameParts, stemWord, words } from '../../lib/text/words.js';
import { getSynonyms, PROJECT_WORDS, STOPWORDS } from './words/english.js';
import { isFunctionWord, isOtherLanguage } from './words/other-languages.js';

/** The kind of answer that a question requests. */
type Shape = 'where' | 'history' | 'value' | 'list' | 'how' | 'what';

/** One form in which a term may occur in a text: consecutive stems, and a weight for how close it is to the term. */
export interface Form {
  /** The folded words, joined by spaces. */
  text: string;
  stems: readonly string[];
  weight: number;
}

/** A subject of the question. */
export interface Term {
  /** As written in the question. */
  written: string;
  /** The folded word. For a compound name, all its parts joined. */
  word: string;
  /** The first is the term itself. */
  forms: readonly Form[];
  /** Whether it is a code name (`camelCase`, `snake_case`, `--flag`, in backticks), which has no related words. */
  isName: boolean;
  /** Whether it is written with a capital inside a sentence, as the name of a product is. */
  isCapitalised: boolean;
}

/** A parsed question. */
export interface Reading {
  shape: Shape;
  terms: readonly Term[];
  /** The distinct folded words of the question. Used to detect mentions of tests, examples or releases. */
  said: ReadonlySet<string>;
  /** Whether it is asked in another language than English. */
  isOtherLanguage: boolean;
  /** Lower-case tokens with special characters, such as `/foo/` or `application/json`. They match only literally. */
  literals: readonly string[];
}

const QUESTION_MAX_WORDS = 400;
const NAMES_MAX_CHARS = 4_096;
const TERMS_MAX = 24;
const FORMS_MAX = 10;
const RELATED_WEIGHT = 0.5;
const FILE_ENDING = patternWith('i')`
    \.(?:[cm]?[jt]sx?|py|rs|go|rb|java|c|h|cc|cpp|hpp|md|json|ya?ml|toml|sh|sql|css|html?|gypi?|txt|ini|cfg|lua
      |php|swift|kt)$
  `;
/** Words of a where-question that only state that something is somewhere, or who said so. */
const BEING_THERE = pattern`
    ^(?:implement|defin|locat|declar|written|resid|found|handled$|happen
      |mention|advertis|claim|promis|suppos|talks$|says$|said$|readme$)
  `;

const NAME_IN_TEXT =
  /`([^`\n]{1,200})`|(--[a-z][\w-]*)|\b((?:[A-Za-z_$][\w$]*[./:#])*[A-Za-z_$][\w$]*(?:[_$][\w$]+|[a-z0-9][A-Z][\w$]*)(?:[./:#][\w$-]+)*)|\b([\w-]+(?:\/[\w.-]+)*\.(?:[cm]?[jt]sx?|py|rs|go|rb|java|c|h|cc|cpp|hpp|md|json|ya?ml|toml|sh|sql|css|html?|gypi?|txt|ini|cfg|lua|php|swift|kt))\b|\b((?!(?:e\.g|i\.e)\b)[a-z]\w+(?:(?:\.|::|#)[a-z]\w+)+)\b|\b([A-Za-z_]\w*)\(\)|\b([A-Za-z]{2,}[/-]\d+)\b/g;

/** Parses a question: its terms and the kind of answer it requests. The text is data and never obeyed. */
export function readQuestion(text: string): Reading {
  const plain = text
    .slice(0, 16_384)
    .replace(/[\u2019']/g, "'")
    .replace(/(\w)'(?:s|t|re|ve|ll|d|m)\b/gi, '$1');
  const names = new Map<string, Term>();
  // The search for names is quadratic at worst, so only the start of a long text is searched.
  const rest =
    plain.slice(0, NAMES_MAX_CHARS).replace(NAME_IN_TEXT, (whole: string) => {
      const term = nameTerm(whole);
      if (!term) return whole;
      if (!names.has(term.word)) names.set(term.word, term);
      return ' ';
    }) + plain.slice(NAMES_MAX_CHARS);
  const shape = computeShape(plain);
  const inOrder = words(shape === 'where' ? withFolderNames(rest) : rest).slice(0, QUESTION_MAX_WORDS);
  const said = new Set(words(plain).slice(0, QUESTION_MAX_WORDS));
  const isForeign = isOtherLanguage(said);
  const capitalised = isForeign ? new Set<string>() : findCapitalised(plain);
  const plainTerms = new Map<string, Term>();
  for (const word of inOrder) {
    if (
      STOPWORDS.has(word) ||
      (isForeign && isFunctionWord(word)) ||
      (word.length < 2 && !/\d/.test(word)) ||
      word.length > 64
    )
      continue;
    const stem = stemWord(word);
    if (!plainTerms.has(stem) && !names.has(word)) plainTerms.set(stem, wordTerm(word, names.size === 0, capitalised));
  }
  const content = [...plainTerms.values()];
  const specific = content.filter((term) => !PROJECT_WORDS.has(term.word));
  const things = shape === 'where' ? specific.filter((term) => !BEING_THERE.test(term.word)) : specific;
  // Words such as "this project" name where to search. They count only when there is nothing else to search for.
  const kept = things.length + names.size > 0 ? things : content;
  return {
    shape,
    terms: [...names.values(), ...kept].slice(0, TERMS_MAX).map(withoutOthers),
    said,
    isOtherLanguage: isForeign,
    literals: listLiterals(plain),
  };
}

/** Writes languages that end in signs as folders and files are called. */
const withFolderNames = (text: string) =>
  text.replace(/(?<!\w)c\+\+(?!\w)/gi, ' cpp ').replace(/(?<!\w)c#/gi, ' csharp ');

/** Removes forms of a term that are another term of the same question. */
function withoutOthers(term: Term, index: number, all: readonly Term[]): Term {
  const others = new Set(all.filter((_, other) => other !== index).map((other) => other.forms[0]?.stems.join(' ')));
  return { ...term, forms: term.forms.filter((form, at) => at === 0 || !others.has(form.stems.join(' '))) };
}

function listLiterals(text: string): string[] {
  const found = text.split(/[\s"'`(){}<>]+/).map((token) => token.replace(/(?<![?!,;:.])[?!,;:.]+$/, '').toLowerCase());
  return [
    ...new Set(
      found.filter(
        (token) =>
          token.length >= 3 && token.length <= 80 && /[a-z0-9]/.test(token) && /[^\p{L}\p{N}'\u2019-]/u.test(token),
      ),
    ),
  ].slice(0, 8);
}

/**
 * Creates the term of a plain word. `isExpanded` adds related words: a question without a code name is in words of its
 * own, and one with names is in the project's.
 */
function wordTerm(word: string, isExpanded: boolean, capitalised: ReadonlySet<string>): Term {
  const forms = [createForm([word], 1)];
  for (const other of isExpanded ? getSynonyms(word) : []) {
    const form = createForm(words(other), RELATED_WEIGHT);
    if (forms.length < FORMS_MAX && !forms.some((known) => known.stems.join(' ') === form.stems.join(' ')))
      forms.push(form);
  }
  return { written: word, word, forms, isName: false, isCapitalised: capitalised.has(word) };
}

function nameTerm(written: string): Term | undefined {
  const bare = written.replace(/^`|`$/g, '').trim();
  const parts = nameParts(bare).slice(0, 8);
  const first = parts[0];
  if (first === undefined) return undefined;
  // A single word in backticks is meant literally and has no related words.
  const isName = { isName: true, isCapitalised: false };
  if (parts.length === 1) return { written: bare, word: first, forms: [createForm([first], 1)], ...isName };
  const whole = parts.join('');
  const forms = [createForm([whole], 1), createForm(parts, 0.95)];
  // `reply.send` may occur as `send` under a heading `Reply`.
  const last = parts.at(-1) as string;
  if (/[.#:]/.test(bare) && last.length > 2 && !FILE_ENDING.test(bare)) forms.push(createForm([last], 0.6));
  return { written: bare, word: fold(whole), forms, ...isName };
}

/** Of the words, how many may have a capital before it is a matter of style. */
const CAPITALS_MAX_SHARE = 0.5;

/** Returns the words, folded, that have a capital and do not begin a sentence; none in a text written in capitals. */
function findCapitalised(text: string): ReadonlySet<string> {
  const start = text.slice(0, NAMES_MAX_CHARS);
  const capitals = start.match(/(?<=[\p{L}\p{N},;)] ["'(]?)\p{Lu}\p{L}+/gu) ?? [];
  const all = start.match(/\p{L}+/gu)?.length ?? 0;
  return new Set(capitals.length > all * CAPITALS_MAX_SHARE ? [] : capitals.map(fold));
}

/** Creates a form from folded words. */
export function createForm(parts: readonly string[], weight: number): Form {
  const indexed = parts.flatMap(pairsOf);
  return { text: indexed.join(' '), stems: indexed.map(stemWord), weight };
}

const ABOUT_PLACE = pattern`
  \b(?:where|(?:which|what) (?:source |header |c |python |go |ruby )?(?:files?|modules?|folders?|directory|functions?
    |class|classes|source|packages?|header|crate|method|struct|component))\b
`;
const ABOUT_HISTORY = pattern`
  \b(?:when (?:was|were|did)|who (?:wrote|changed|added|made|removed|introduced|committed)|last (?:changed
    |change|commit|modified|touched)|which commit|what commit|git (?:log|history)|recent(?:ly)? (?:changes
    |commits)|what changed)\b
`;
const ABOUT_VALUE = pattern`
  \b(?:how (?:many|much|long|big|large|often|high|old)|defaults?|maximum|minimum|max|min|limit|which (?:port
    |version|env|variable|option|value)|what (?:port|version|value|number)|environment variable|env var)\b
`;
const ABOUT_LIST = pattern`
  \b(?:list|which .{0,120}s (?:are|does|do|can)|what .{0,120}s (?:are|does|do) (?:there|available|supported)
    |what are the|what kinds?|enumerate)\b
`;
function computeShape(text: string): Shape {
  const lower = fold(text);
  if (ABOUT_HISTORY.test(lower)) return 'history';
  if (ABOUT_PLACE.test(lower)) return 'where';
  if (ABOUT_VALUE.test(lower)) return 'value';
  if (ABOUT_LIST.test(lower)) return 'list';
  if (/\b(?:how|can i|can we|could i|is it possible|way to|do i)\b/.test(lower)) return 'how';
  return 'what';
}
