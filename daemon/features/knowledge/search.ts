import { withoutTrailingSlashes } from '../../lib/text/trailing-slashes.js';
import { editDistance, trigrams } from '../../lib/text/words.js';
import type { FoundPassage, PassageReader } from '../../storage/database/passage-reader.js';
import { type PassageText, readPassage } from './passages/passage-text.js';
import { createForm, type Form, type Reading, type Term } from './question.js';
import { type Ranked, rank, sumWeights, type WeighedTerm } from './ranking.js';
import { isSoftwareTerm } from './words/software-terms.js';
import { readZipf, type ZipfOf } from './words/word-frequency.js';

const CANDIDATES = 160;
/** An exponent below 1 limits how much a very rare word outweighs the others. */
const IDF_POWER = 0.85;
/** The mean length of a word in code and prose, with what stands between two. */
const WORD_BYTES = 7;
/** The factor for passages of files that the member should know. */
const NAMED_FACTOR = 1.12;
const CACHED_TEXTS_MAX = 4_000;
/** A term that occurs in no more passages than this is always searched for. */
const FEW_PASSAGES = 2_000;

export interface Found {
  terms: readonly WeighedTerm[];
  /** The best first. */
  passages: readonly Ranked[];
}

/** Reads the lines of a file. Returns undefined when the file is gone or is not readable text. */
export type ReadLines = (path: string) => readonly string[] | undefined;

/** A word that is less common than this in English is one of a trade, or a name. */
const RARE_ZIPF = 2.5;
/** With a capital, a word that is less common than this is the name of something; more common ones begin titles. */
const NAME_ZIPF = 3;
/** From here on a word is everyday English. */
const EVERYDAY_ZIPF = 3.5;
const NAME_EMPHASIS = 1.15;
/** The emphasis of a word that occurs nowhere here and need not. */
const UNKNOWN_EMPHASIS = 0.25;

/** Returns the emphasis of a word by how common it is in English: everyday words tell less about what is asked. */
const everyday = (zipf: number) => Math.max(0.2, Math.min(1, 1 - (zipf - EVERYDAY_ZIPF) * 0.3));

/** Finds the best passages for a question: takes candidates from the full-text index and ranks them by their text. */
export class Search {
  private readonly texts = new Map<number, PassageText>();
  private vocabulary = new Map<string, readonly string[]>();
  private newestMs = 0;
  /** The number of passages, and the mean number of words of one, estimated from the size of the text. */
  private size: { passages: number; meanLength: number } | undefined;

  constructor(
    private readonly database: PassageReader,
    private readonly splitLines: ReadLines,
    private readonly zipfOf: ZipfOf = readZipf,
  ) {}

  /** Invalidates the caches. Must be called whenever the index has changed. */
  forget(): void {
    this.texts.clear();
    this.vocabulary = new Map();
    this.newestMs = 0;
    this.size = undefined;
  }

  /**
   * Returns the terms of a question with their weights in this project. Beside a code name that occurs here, unknown
   * words of another language than English tell nothing: the project has that language's words nowhere.
   */
  weighTerms(reading: Reading): WeighedTerm[] {
    const { passages: total } = this.getSize();
    const terms = reading.terms.map((term) => this.weigh(term, total));
    const hasName = terms.some((term) => term.isName && term.frequency > 0);
    return reading.isOtherLanguage && hasName ? terms.filter((term) => term.isKnown || term.isName) : terms;
  }

  find(terms: readonly WeighedTerm[], reading: Reading, refs: readonly string[]): Found {
    return this.rankAll(this.candidates(terms, this.getSize().passages), terms, reading, refs);
  }

  /** Ranks the passages of `paths` for the question, whether or not they contain its words. */
  among(paths: readonly string[], terms: readonly WeighedTerm[], reading: Reading, refs: readonly string[]): Found {
    const passages = paths.flatMap((path) => this.database.listPassages(path));
    return this.rankAll(passages, terms, reading, refs);
  }

  private getSize(): { passages: number; meanLength: number } {
    if (!this.size) {
      const { bytes, passages } = this.database.totals();
      const atLeastOne = Math.max(1, passages);
      this.size = { passages: atLeastOne, meanLength: bytes / atLeastOne / WORD_BYTES };
    }
    return this.size;
  }

  private rankAll(
    passages: readonly FoundPassage[],
    terms: readonly WeighedTerm[],
    reading: Reading,
    refs: readonly string[],
  ): Found {
    const ranked = passages.flatMap((passage) => this.rankOne(passage, terms, reading, refs));
    return { terms, passages: inOrder(ranked, terms) };
  }

  private rankOne(
    passage: FoundPassage,
    terms: readonly WeighedTerm[],
    reading: Reading,
    refs: readonly string[],
  ): Ranked[] {
    const text = this.text(passage);
    if (!text) return [];
    const newest = Math.max(this.newestMs, passage.changedMs);
    this.newestMs = newest;
    const one = rank(passage, text, terms, reading, { newestMs: newest, meanLength: this.getSize().meanLength });
    const isNamed = refs.some(
      (ref) => passage.path === ref || passage.path.startsWith(`${withoutTrailingSlashes(ref)}/`),
    );
    if (!isNamed) return [one];
    const kind = one.grounds.kind * NAMED_FACTOR;
    return [{ ...one, score: one.score * NAMED_FACTOR, grounds: { ...one.grounds, kind } }];
  }

  private text(passage: FoundPassage): PassageText | undefined {
    let text = this.texts.get(passage.id);
    if (!text) {
      const lines = this.splitLines(passage.path);
      if (!lines) return undefined;
      text = readPassage(lines.slice(passage.startLine - 1, passage.endLine), passage.title, passage.path);
      if (this.texts.size >= CACHED_TEXTS_MAX) this.texts.clear();
      this.texts.set(passage.id, text);
    }
    return text;
  }

  private candidates(terms: readonly WeighedTerm[], total: number): FoundPassage[] {
    const found = new Map<number, FoundPassage>();
    const collect = (match: string) => {
      if (match === '') return;
      for (const passage of this.database.search(match, CANDIDATES)) found.set(passage.id, passage);
    };
    const used = telling(terms, total);
    collect(
      matchAny(
        used.flatMap((term) => term.forms.filter((form, index) => index === 0 || term.isName || form.weight > 0.62)),
      ),
    );
    collect(matchAny(used.flatMap((term) => term.forms)));
    // The definition of `reply.send` may lack the full name: one part can be in the title, the other in the path.
    for (const term of terms)
      if (term.isName && (term.forms[1]?.stems.length ?? 0) > 1) collect(matchTitle(term.forms[1] as Form));
    return [...found.values()];
  }

  private weigh(term: Term, total: number): WeighedTerm {
    const idf = (frequency: number) => Math.log(1 + total / (frequency + 1)) ** IDF_POWER;
    const zipf = term.isName ? 0 : this.zipfOf(term.word);
    const isListed = !term.isName && zipf <= RARE_ZIPF && isSoftwareTerm(term.word);
    const isTechnology = isListed || (term.isCapitalised && zipf <= NAME_ZIPF);
    const weighed = {
      ...term,
      isEveryday: zipf >= EVERYDAY_ZIPF,
      isTechnology,
      isForeign: false,
      isCorrected: false,
      isKnown: true,
    };
    const own = this.frequency(term.forms.slice(0, term.isName ? 2 : 1));
    if (own > 0)
      return { ...weighed, frequency: own, weight: idf(own) * (term.isName ? NAME_EMPHASIS : everyday(zipf)) };
    const near = zipf > RARE_ZIPF || isListed ? undefined : this.nearest(term);
    if (near)
      return {
        ...weighed,
        forms: [...term.forms, near],
        frequency: 0,
        isCorrected: true,
        weight: idf(this.frequency([near])) * 0.9,
      };
    const others = this.frequency(term.forms);
    if (others > 0 && !term.isName) return { ...weighed, frequency: 0, weight: idf(others) * 0.85 };
    const isForeign = isTechnology || (zipf <= RARE_ZIPF && !term.isName && /^\p{L}+$/u.test(term.word));
    return { ...weighed, frequency: 0, weight: idf(0) * (isForeign ? 1 : UNKNOWN_EMPHASIS), isForeign, isKnown: false };
  }

  private frequency(forms: readonly Form[]): number {
    const match = matchAny(forms);
    return match === '' ? 0 : this.database.frequency(`{title names text} : (${match})`);
  }

  /** Corrects a misspelled term to the closest known stem with the same first letter, if it is close enough. */
  private nearest(term: Term): Form | undefined {
    const own = term.forms[0]?.stems[0] ?? '';
    const limit = own.length >= 9 ? 2 : own.length >= 6 ? 1 : 0;
    if (limit === 0 || !/^[\p{L}]/u.test(own)) return undefined;
    const wanted = trigrams(own);
    let best: { stem: string; edits: number; shared: number } | undefined;
    for (const stem of this.stems(own[0] as string)) {
      if (Math.abs(stem.length - own.length) > limit) continue;
      const edits = editDistance(own, stem, limit);
      if (edits > limit || edits === 0) continue;
      const shared = [...trigrams(stem)].filter((gram) => wanted.has(gram)).length / wanted.size;
      if (shared < 0.34) continue;
      const isBetter = !best || edits < best.edits || (edits === best.edits && shared > best.shared);
      if (isBetter && this.database.frequency(quoted(stem)) > 0) best = { stem, edits, shared };
    }
    if (!best) return undefined;
    const form = createForm([best.stem], best.edits === 1 ? 0.85 : 0.7);
    return { ...form, stems: [best.stem] };
  }

  private stems(initial: string): readonly string[] {
    let known = this.vocabulary.get(initial);
    if (!known) {
      known = this.database.stemsFrom(initial);
      this.vocabulary.set(initial, known);
    }
    return known;
  }
}

/**
 * Returns the terms that are selective among `total` passages. A term that occurs in more than a tenth of them hardly
 * affects the ranking, and each matching passage costs time. Returns all terms when none is selective.
 */
export function telling<One extends { frequency: number }>(terms: readonly One[], total: number): readonly One[] {
  const rare = terms.filter(({ frequency }) => frequency <= Math.max(FEW_PASSAGES, total / 10));
  return rare.length > 0 ? rare : terms;
}

function matchAny(forms: readonly Form[]): string {
  return [...new Set(forms.map((form) => form.text).filter((text) => text !== ''))].map(quoted).join(' OR ');
}

/** Matches all words of a form in title or path. */
function matchTitle(form: Form): string {
  return `{title path} : (${form.text.split(' ').map(quoted).join(' AND ')})`;
}

/** Quotes an FTS5 string, in which no operator is interpreted. */
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

/** How much the other good passages of a file add to its two best ones. */
const FILE_SHARE = 0.5;
/** How much the share of the question that a file covers as a whole adds to each of its passages. */
const FILE_COVERAGE = 0.5;

/** Orders passages by their own score and by their file, whose passages may together hold what is asked about. */
function inOrder(ranked: readonly Ranked[], terms: readonly WeighedTerm[]): Ranked[] {
  const files = new Map<string, Ranked[]>();
  for (const one of ranked) {
    const known = files.get(one.passage.path);
    if (known) known.push(one);
    else files.set(one.passage.path, [one]);
  }
  const total = sumWeights(terms);
  return [...files.values()]
    .flatMap((passages) => {
      passages.sort((a, b) => b.score - a.score);
      const others = passages.slice(1, 4).reduce((sum, one, index) => sum + one.score / 2 ** (index + 1), 0);
      const covered = terms.reduce(
        (sum, term, index) => sum + term.weight * Math.max(...passages.map((one) => one.strengths[index] ?? 0)),
        0,
      );
      const shared = (FILE_COVERAGE * covered * (passages[0]?.passage.worth ?? 1)) / total;
      return passages.map((one, index) => {
        const whole_file = shared + (index < 2 ? FILE_SHARE * others : 0);
        return { ...one, score: one.score + whole_file, grounds: { ...one.grounds, whole_file } };
      });
    })
    .sort((a, b) => b.score - a.score || byPlace(a.passage, b.passage));
}

const byPlace = (a: FoundPassage, b: FoundPassage) =>
  a.path < b.path ? -1 : a.path > b.path ? 1 : a.startLine - b.startLine;
