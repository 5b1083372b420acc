import { pattern, patternWith } from '../../../lib/text/pattern.js';
import { type FormName, KIND, PATTERNS } from './question-patterns.js';

export interface StructureQuestion {
  form: FormName;
  /** The name that is asked about; empty for a list of the whole project. */
  name: string;
  /** The parameter that is asked about. */
  parameter?: string;
  /** Whether the wording leaves open that it is about structure: then only an unmistakable name counts. */
  isLoose: boolean;
}

const QUESTION_MAX = 300;

/** Words that a question about a whole list may hold beside what is listed. */
const FILLER = new Set(
  `a about access accept accepted all an and any are app application available be by can code codebase config configuration
  configure could define defined defines depend depends did do does every exist exists expect expects expose exposed exposes find following for
  from get give handle handled has have here how http i in into is it its know list listen listens me my name names of offer offers on one or our out package please
  possible print program project provide provided provides read reads recognise recognised recognize recognized registered
  repo repository respect respects rest run see serve served server serves service set show so software source support supported supports take takes tell that the
  their them there these they this throughout to tool understand understands us use used uses using via we web what where which who with you your`.split(
    /\s+/,
  ),
);

const LISTS: readonly { form: FormName; pattern: RegExp; not?: RegExp }[] = [
  {
    form: 'environment',
    pattern: /\b(?:environment variables|env(?:ironment)? vars|env variables|environment settings|envs)\b/,
  },
  {
    form: 'routes',
    pattern: /\b(?:(?:http |rest |api |web |url |server )*(?:routes|endpoints|api paths|url paths))\b/,
  },
  {
    form: 'scripts',
    pattern: pattern`
        \b(?:(?:npm |package |yarn |pnpm |build |make |cargo |just |tox |composer |dev(?:elopment)? )*(?:scripts
          |targets|recipes|run commands|npm commands|aliases))\b
      `,
  },
  {
    form: 'scripts',
    pattern: /\b(?:commands|tasks)\b(?= (?:are there|can i run|can we run|exist|are available|are defined)|$)/,
  },
  {
    form: 'errors',
    pattern: pattern`
        \b(?:(?:kinds of |types of |custom )?(?:error codes|error classes|error types|errors|exceptions
          |exception types|exception classes))\b(?: (?:thrown|raised|returned|can be thrown|can be raised
          |are thrown|are raised|are returned))?
      `,
    // What catches them is a feature.
    not: /\b(?:handle[ds]?|handling|caught|catch(?:es)?)\b/,
  },
  {
    form: 'entries',
    pattern: /\b(?:entry ?points?|main function|main method|main program|starting points?|entrypoints?)\b/,
  },
  {
    form: 'entries',
    pattern: pattern`
        ^where is main$
        |^where does (?:the |this )?(?:program|application|app|execution|code|project|daemon|server|process
          |everything) (?:start|begin)(?: running| executing| up)?$
      `,
  },
  {
    form: 'parts',
    pattern: pattern`
        \b(?:(?:main|major|most important|core|central|key|principal|biggest) (?:parts|modules|components|files
          |building blocks|pieces|packages|classes|sources|source files)|most (?:imported|depended(?:-| )on
          |central) (?:files|modules))\b
      `,
  },
];

const LIST_EXTRA: Partial<Record<FormName, RegExp>> = {
  errors: /\b(?:thrown|raised|returned|throw|raise|return|thrown|happen|occur|throws|raises)\b/g,
  routes: /\b(?:api|url|urls|paths?|methods?)\b/g,
  scripts: /\b(?:npm|make|cargo|just|tox|composer|yarn|pnpm|makefile|justfile|package\.json|defaults?)\b/g,
  environment: /\b(?:defaults?|values|behaviou?r|influence|affect|change|control|process)\b/g,
  entries: /\b(?:main|start|begin|function|executables?|binary|binaries|cli)\b/g,
  parts: /\b(?:consist|made|structure|structured|system|up|architecture)\b/g,
};

/** Recognises a question that the structure graph can answer; undefined for any other. */
export function readStructureQuestion(text: string): StructureQuestion | undefined {
  if (text.length > QUESTION_MAX) return undefined;
  const whole = normalize(text);
  if (whole === '' || /[\n\r]/.test(text.trim())) return undefined;
  const plain = trimEnd(whole.replace(IN_FILE, ''));
  const list = findListForm(plain.toLowerCase());
  if (list) return { form: list, name: '', isLoose: false };
  // The file at the end may be what is asked about.
  return readPattern(plain) ?? readPattern(whole) ?? readUses(text);
}

function readPattern(plain: string): StructureQuestion | undefined {
  for (const { form: name, needs, pattern, isLoose = false } of PATTERNS) {
    if (!needs.test(plain)) continue;
    const groups = pattern.exec(plain)?.groups;
    const asked = groups?.['name']?.replace(/^[("'`]+|(?:[.,:;!?"'`]|\)(?<!\(\)))+$/g, '');
    // Types of parameters are no part of the name.
    const called = asked?.replace(/\((?!\)).*$/, '').replace('.prototype.', '.');
    if (called === undefined || !isName(called)) continue;
    if (isLoose && !isUnmistakable(called, plain)) continue;
    const parameter = groups?.['parameter'];
    return { form: name, name: called, isLoose, ...(parameter === undefined ? {} : { parameter }) };
  }
  return undefined;
}

/** A name that can only be one of code: in backticks, with an underscore, a dot, a capital in it, or `()`. */
const CODE_NAME =
  /`([^`\s]{1,160})`|((?:[\w$]+(?:::|->|\.|#))+[\w$]+[!?]?(?=\W|$)|[A-Za-z_$][\w$]*(?=\(\))|_*[a-zA-Z]+\w*_\w+[!?]?|_+[a-z]\w*|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*)/g;
const FILE_NAME = /\.(?:[cm]?[jt]sx?|json|ya?ml|toml|md|py|rs|go|rb|java|c|h|cc|cpp|hpp|php|sh|txt|xml)$/i;
const CALLS =
  /\b(?:calls?|called|callers?|calling|call[ -]?sites?|invocations?|invok(?:e|es|ed|ing)|reached|dead code)\b/i;
const USES = patternWith('i')`
    \busages? of\b
    |\busages?$
    |\bwho (?:is )?us(?:es|ing)\b
    |\buse[sd]?\b.*\b(?:where exactly|(?:on|at|in) (?:which|what) (?:lines?|ones?|files?))\b
  `;
/** A question about what happens at a call, not about where there is one. */
const OF_A_CALL = patternWith('i')`
    \bcalled (?:twice|again|with|on|when|before|after)\b
    |\bcalls? back\b
    |\btwo callers\b
    |\bcallers? of \S+ (?:learn|know|expect)
  `;
const ASKS_FOR_PLACES = patternWith('i')`
  \b(?:who|whom|what|which|where|list|all|every|each|any|find|show|trace|give|places?|points|callers?
    |call[ -]?sites?|usages?|invocations?|references)\b
`;
const USES_WORDS_MAX = 26;

/** Reads a question in any words about who calls or uses one name of the code. */
function readUses(text: string): StructureQuestion | undefined {
  if (text.split(/\s+/).length > USES_WORDS_MAX || OF_A_CALL.test(text)) return undefined;
  const found = [...text.matchAll(CODE_NAME)].filter((match) => !FILE_NAME.test(match[1] ?? match[2] ?? ''));
  const names = found.map((match) => (match[1] ?? match[2] ?? '').replace(/\(\)$/, ''));
  const [name, owner] = names;
  if (name === undefined || names.length > 2 || !/^[\w$:.>#!?-]+$/.test(name)) return undefined;
  const escaped = name.replaceAll(/[^\w]/g, '.');
  const isOfOwner =
    owner !== undefined &&
    new RegExp(`${escaped}\\W+(?:of|in|from) (?:the )?(?:class )?\\W?${owner.replaceAll(/[^\w]/g, '.')}`).test(text);
  if (owner !== undefined && !isOfOwner) return undefined;
  // What it calls itself, or what happens when it is called, is another question.
  if (
    new RegExp(
      `\\b(?:does|do|will)\\b.*${escaped}.*\\bcall\\b|\\b(?:when|if|after|before` +
        `|what happens)\\b.*${escaped}.*\\bcalled\\b`,
      'i',
    ).test(text)
  )
    return undefined;
  if (!ASKS_FOR_PLACES.test(text)) return undefined;
  const form = CALLS.test(text) ? 'callers' : USES.test(text) ? 'uses' : undefined;
  return form && { form, name: isOfOwner ? `${owner}.${name}` : name, isLoose: false };
}

const POLITE = patternWith('i')`
    ^(?:(?:please|hey|hi|hello|ok|so|and|now)[,!]? |(?:can|could|would) you (?:please )?(?:tell me|show me|list
      |find|give me|say)?,? ?|(?:tell|show|give) me |i(?:'d| would)? (?:want|like|need) to (?:know|see
      |find)(?: out)? |list (?:me )?|find (?:me )?(?:out )?
      |do you know |print |enumerate |all (?:of )?(?:the )?|the )
  `;

const SECOND_QUESTION = patternWith('i')`
  ,? (?:and|or) (?:(?:on|in|from|at) )?(?:which|what|where)(?: (?:lines?|files?|places?|modules?
    |functions?))?(?: (?:is|are|do|does) (?:it|that|they))?\??$
`;

/** Where what is asked about is defined. */
const IN_FILE = /,? (?:in|of|from) (?:the file )?[`"']?[\w-]+(?:\/[\w.-]+)*\.[a-z]{1,4}[`"']?(?=\W*$)/i;

function normalize(text: string): string {
  let plain = text
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[\u201c\u201d]/g, '"')
    .replace(/\s+/g, ' ')
    .trim();
  for (let step = 0; step < 4; step += 1) plain = plain.replace(POLITE, '').trim();
  return trimEnd(plain.replace(SECOND_QUESTION, ''));
}

function trimEnd(plain: string): string {
  let end = plain.length;
  while (end > 0 && '?!. '.includes(plain[end - 1] as string)) end -= 1;
  return plain.slice(0, end);
}

function findListForm(plain: string): FormName | undefined {
  for (const { form: name, pattern, not } of LISTS) {
    if (!pattern.test(plain) || not?.test(plain)) continue;
    const rest = plain.replace(pattern, ' ').replace(LIST_EXTRA[name] ?? /$^/g, ' ');
    const words = rest.split(/[^a-z]+/).filter((word) => word !== '' && !FILLER.has(word));
    if (words.length === 0) return name;
  }
  return undefined;
}

const NOT_NAMES = new Set(
  (
    'it this that these those the a an them they there everything anything nothing something code project ' +
    'program i we you here all any some main'
  ).split(' '),
);

const isName = (text: string) =>
  /^[A-Za-z_$@~./][\w$@~./:#>\\()*-]*$/.test(text) && !NOT_NAMES.has(text.toLowerCase()) && /\w/.test(text);

/** Kinds of which something can be without its name being meant, as `the file transport`. */
const NO_SYMBOL = '(?:file|script|command|library|package|crate|component|helper)\\b';

/** Whether a word can only be a name of code: by its letters, or because it is quoted. */
function isUnmistakable(name: string, plain: string): boolean {
  return (
    /[a-z0-9][A-Z]|[A-Z]{2}|_|::|\(\)|\.\w|\$/.test(name) ||
    plain.includes(`\`${name}`) ||
    new RegExp(
      `\\b(?!${NO_SYMBOL})${KIND} \\S{0,2}${name.replace(/[^\w]/g, '.')}|${name.replace(/[^\w]/g, '.')}\\S? ${KIND}$`,
      'i',
    ).test(plain)
  );
}
