import { withoutTrailingSlashes } from '../../lib/text/trailing-slashes.js';
import { editDistance, trigrams } from '../../lib/text/words.js';
import type { FoundPassage, PassageReader } from '../../storage/database/passage-reader.js';
import { isCommon } from './english.js';
import { type PassageText, readPassage } from './passages/passage-text.js';
import { createForm, type Form, type Reading, type Term } from './question.js';
import { type Ranked, rank, type WeighedTerm } from './ranking.js';

const CANDIDATES = 90;
/** An exponent below 1 limits how much a very rare word outweighs the others. */
const IDF_POWER = 0.75;
const CACHED_TEXTS_MAX = 4_000;
/** A term that occurs in no more passages than this is always searched for. */
const FEW_PASSAGES = 2_000;

/** The best passages of one file, and the file's own score. */
interface RankedFile {
  path: string;
  score: number;
  passages: readonly Ranked[];
}

export interface Found {
  terms: readonly WeighedTerm[];
  files: readonly RankedFile[];
}

/** Reads the lines of a file. Returns undefined when the file is gone or is not readable text. */
export type ReadLines = (path: string) => readonly string[] | undefined;

/** Finds the best passages for a question: takes candidates from the full-text index and ranks them by their text. */
export class Search {
  private readonly texts = new Map<number, PassageText>();
  private vocabulary = new Map<string, readonly string[]>();
  private newestMs = 0;

  constructor(
    private readonly database: PassageReader,
    private readonly splitLines: ReadLines,
  ) {}

  /** Invalidates the caches. Must be called whenever the index has changed. */
  forget(): void {
    this.texts.clear();
    this.vocabulary = new Map();
    this.newestMs = 0;
  }

  find(reading: Reading, refs: readonly string[]): Found {
    const total = Math.max(1, this.database.totals().passages);
    const terms = reading.terms.map((term) => this.weigh(term, total));
    const ranked = this.candidates(terms, total).flatMap((passage) => this.rankOne(passage, terms, reading, refs));
    return { terms, files: byFile(ranked) };
  }

  /** Ranks the passages of `paths` for the question, whether or not they contain its words. */
  among(paths: readonly string[], reading: Reading, refs: readonly string[]): Found {
    const total = Math.max(1, this.database.totals().passages);
    const terms = reading.terms.map((term) => this.weigh(term, total));
    const ranked = paths
      .flatMap((path) => this.database.listPassages(path))
      .flatMap((passage) => this.rankOne(passage, terms, reading, refs));
    return { terms, files: byFile(ranked) };
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
    const one = rank(passage, text, terms, reading, { newestMs: newest });
    const isNamed = refs.some(
      (ref) => passage.path === ref || passage.path.startsWith(`${withoutTrailingSlashes(ref)}/`),
    );
    return [isNamed ? { ...one, score: one.score * 1.12 } : one];
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
    const own = term.isName ? this.frequency(term.forms.slice(0, 2)) : this.frequency(term.forms.slice(0, 1));
    const isUsual = !term.isName && isCommon(term.word);
    const emphasis = term.isName ? 1.25 : isUsual ? 0.6 : 1;
    if (own > 0) return { ...term, frequency: own, weight: idf(own) * emphasis, isForeign: false };
    const near = this.nearest(term);
    if (near)
      return {
        ...term,
        forms: [...term.forms, near],
        frequency: 0,
        weight: idf(this.frequency([near])) * 0.9,
        isForeign: false,
      };
    const others = this.frequency(term.forms);
    if (others > 0 && !term.isName) return { ...term, frequency: 0, weight: idf(others) * 0.85, isForeign: false };
    const isForeign = !isUsual && !/^\d+$/.test(term.word);
    return { ...term, frequency: 0, weight: isForeign ? idf(0) : idf(0) * 0.25, isForeign };
  }

  private frequency(forms: readonly Form[]): number {
    const match = matchAny(forms);
    return match === '' ? 0 : this.database.frequency(`{title names text} : (${match})`);
  }

  /** Corrects a misspelled term to the closest known stem with the same first letter, if it is close enough. */
  private nearest(term: Term): Form | undefined {
    const own = term.forms[0]?.stems[0] ?? '';
    const limit = own.length >= 9 ? 2 : own.length >= 6 ? 1 : 0;
    if (limit === 0 || isCommon(term.word) || !/^[\p{L}]/u.test(own)) return undefined;
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

function byFile(ranked: readonly Ranked[]): RankedFile[] {
  const files = new Map<string, Ranked[]>();
  for (const one of ranked) files.set(one.passage.path, [...(files.get(one.passage.path) ?? []), one]);
  return [...files]
    .map(([path, passages]) => {
      passages.sort((a, b) => b.score - a.score || a.passage.startLine - b.passage.startLine);
      const [first, second, third] = passages;
      return { path, passages, score: (first?.score ?? 0) + 0.08 * (second?.score ?? 0) + 0.04 * (third?.score ?? 0) };
    })
    .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1));
}
