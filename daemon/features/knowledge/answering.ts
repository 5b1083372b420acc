import type { PassageReader } from '../../storage/database/passage-reader.js';
import { type Cite, chooseFacts, composeAnswer, composeNotFound, type Fact, leadWith } from './composition.js';
import { documentNote } from './context-docs.js';
import { weighEvidence } from './evidence.js';
import { History } from './history.js';
import type { Answer, PlainQuestion } from './knowledge.js';
import { type FrontLines, frontPages, introducingSentence, introduction, runnable } from './passages/front-page.js';
import { type Reading, readQuestion } from './question.js';
import type { Found, ReadLines, Search } from './search.js';

/** Answers questions from the index: parses, searches, decides whether the evidence is sufficient, and composes. */
export class Answering {
  private readonly database: PassageReader;
  private readonly search: Search;
  private readonly cite: Cite;
  private readonly linesOf: ReadLines;
  private readonly history: History;

  constructor({
    database,
    search,
    cite,
    linesOf: splitLines,
  }: { database: PassageReader; search: Search; cite: Cite; linesOf: ReadLines }) {
    this.database = database;
    this.search = search;
    this.cite = cite;
    this.linesOf = splitLines;
    this.history = new History(database);
  }

  answer(question: PlainQuestion): Answer {
    const reading = readQuestion(question.text);
    const refs = (question.refs ?? [])
      .filter((ref) => !/^[a-z]+:\/\//i.test(ref))
      .map((ref) => ref.replace(/^\.\//, ''));
    const found = this.search.find(reading, refs);
    const documents = documentNote(question.context_docs ?? [], reading, found.terms);
    return (
      this.overview(reading, documents) ??
      this.past(reading, found, refs, documents) ??
      this.fromPassages(reading, found, documents) ??
      this.notFound(found, documents)
    );
  }

  private fromPassages(reading: Reading, found: Found, documents: readonly string[]): Answer | undefined {
    const run = reading.shape === 'run' ? this.command(reading) : undefined;
    if (!run && !weighEvidence(found).isEnough) return undefined;
    const facts = [...(run ? [run.fact] : []), ...chooseFacts(found, this.cite)].slice(0, run ? 4 : undefined);
    if (facts.length === 0) return undefined;
    if (run) return answered(run.lead, facts, documents);
    const led = leadWith(facts, found.terms, reading);
    return answered(led.lead, led.facts, documents);
  }

  /** Answers a question about the project as a whole from its front pages. */
  private overview(reading: Reading, documents: readonly string[]): Answer | undefined {
    if (reading.shape !== 'overview') return undefined;
    const pages = introduction(frontPages(this.database.paths()), this.linesOf)
      // A manifest describes the project in one line; the README continues from there.
      .sort((a, b) => Number(b.isCode) - Number(a.isCode))
      .slice(0, 4);
    const facts = pages.flatMap((lines) => {
      const fact = this.frontFact(lines);
      return fact ? [{ fact, lines }] : [];
    });
    const first = facts[0];
    if (!first) return undefined;
    return answered(
      `${introducingSentence(first.lines)} [1]`,
      facts.map(({ fact }) => fact),
      documents,
    );
  }

  /** Answers a question about changes from the Git log, with quotes of the changed files in their current state. */
  private past(
    reading: Reading,
    found: Found,
    refs: readonly string[],
    documents: readonly string[],
  ): Answer | undefined {
    const past = reading.shape === 'history' ? this.history.find(found) : undefined;
    if (!past) return undefined;
    const facts = chooseFacts(this.search.among(past.paths, reading, refs), this.cite).slice(0, 3);
    return facts.length === 0 ? undefined : answered(past.text, facts, documents);
  }

  /** Answers how to run, test or build the project with the command to type. */
  private command(reading: Reading): { lead: string; fact: Fact } | undefined {
    const lines = runnable(frontPages(this.database.paths()), this.linesOf, reading.terms);
    const fact = lines && this.frontFact(lines);
    return lines && fact ? { lead: `Run \`${lines.command}\`. [1]`, fact } : undefined;
  }

  private frontFact(lines: FrontLines): Fact | undefined {
    const citation = this.cite(lines.path, lines.startLine, lines.endLine);
    return (
      citation && {
        citation,
        lines: lines.lines,
        kind: lines.isCode ? 'code' : 'prose',
        coverage: 1,
        score: 1,
        titles: lines.title === '' ? [] : [lines.title],
      }
    );
  }

  private notFound(found: Found, documents: readonly string[]): Answer {
    const near = found.terms
      .filter((term) => term.isName || term.frequency > 0)
      .sort((a, b) => b.weight - a.weight)
      .slice(0, 3)
      .flatMap((term) => this.database.titlesWith(term.written, 2));
    const seen = new Set<string>();
    const once = near
      .filter((one) => !seen.has(`${one.path}:${one.startLine}`) && seen.add(`${one.path}:${one.startLine}`))
      .slice(0, 4);
    return { text: composeNotFound(found, this.database.totals().files, once, documents), citations: [], found: false };
  }
}

function answered(lead: string, facts: readonly Fact[], notes: readonly string[]): Answer {
  return { text: composeAnswer(lead, facts, notes), citations: facts.map((fact) => fact.citation), found: true };
}
