import type { PassageDatabase } from '../../storage/passage-database.js';
import { type Cite, chooseFacts, composeAnswer, composeNotFound } from './composition.js';
import { documentNote } from './context-docs.js';
import { weighEvidence } from './evidence.js';
import { roleOf } from './file-worth.js';
import { History } from './history.js';
import type { Answer } from './knowledge.js';
import type { PlainQuestion } from './project-index.js';
import { type Reading, readQuestion } from './question.js';
import type { Found, Search } from './search.js';

const OVERVIEW = 'overview introduction about what why features getting started usage';
const RUN = 'install usage getting started quick start development setup scripts build test run commands contributing';

/** Answers questions from the index: reads them, finds, decides whether what was found answers them, and composes. */
export class Answering {
  private readonly database: PassageDatabase;
  private readonly search: Search;
  private readonly cite: Cite;
  private readonly history: History;

  constructor({ database, search, cite }: { database: PassageDatabase; search: Search; cite: Cite }) {
    this.database = database;
    this.search = search;
    this.cite = cite;
    this.history = new History(database);
  }

  answer(question: PlainQuestion): Answer {
    const reading = readQuestion(question.text);
    const refs = (question.refs ?? []).filter((ref) => !/^[a-z]+:\/\//i.test(ref)).map((ref) => ref.replace(/^\.\//, ''));
    const found = this.find(reading, refs);
    const evidence = weighEvidence(found, reading);
    const documents = documentNote(question.context_docs ?? [], reading, found.terms);
    const isGeneral = reading.shape === 'overview' && (found.files[0]?.score ?? 0) > 0;
    const past = reading.shape === 'history' ? this.history.find(found) : undefined;
    const seen = past ? this.search.among(past.paths, reading, refs) : undefined;
    if (!evidence.isEnough && !isGeneral && !past) return this.notFound(found, documents);
    const facts = chooseFacts(seen && seen.files.length > 0 ? seen : found, this.cite);
    if (facts.length === 0) return this.notFound(found, documents);
    const notes = [...(past ? [past.text] : []), ...documents];
    return { text: composeAnswer(facts, found, reading, notes), citations: facts.map((fact) => fact.citation), found: true };
  }

  /** What the question is about, looked for where that kind of question is answered first. */
  private find(reading: Reading, refs: readonly string[]): Found {
    if (reading.shape === 'overview') return this.general(OVERVIEW, refs);
    const found = this.search.find(reading, refs);
    if (reading.shape !== 'run') return found;
    const general = this.general(`${reading.terms.map((term) => term.written).join(' ')} ${RUN}`, refs);
    const paths = new Set(general.files.map((file) => file.path));
    const near = found.files.filter((file) => paths.has(file.path));
    return { terms: found.terms, files: [...near, ...found.files.filter((file) => !paths.has(file.path))] };
  }

  /** The front pages of the project: its README, manifest and guide to contributing, with the beginning of each first. */
  private general(words: string, refs: readonly string[]): Found {
    const paths = [...this.database.files().keys()].filter((path) => {
      const role = roleOf(path);
      const depth = path.split('/').length;
      return (depth === 1 && (role === 'readme' || role === 'manifest' || /^(?:contributing|install|hacking|development)/i.test(path))) || (depth <= 2 && role === 'readme');
    });
    const found = this.search.among(paths.sort(), { ...readQuestion(words), shape: 'overview' }, refs);
    const files = found.files.map((file) => {
      const front = file.path.includes('/') ? 0.5 : roleOf(file.path) === 'readme' ? 1.6 : 1;
      const passages = file.passages.map((one) => ({ ...one, score: one.score + (one.passage.startLine === 1 ? 0.4 : 0) })).sort((a, b) => b.score - a.score);
      return { ...file, passages, score: (file.score + 0.2) * front };
    });
    return { terms: found.terms, files: files.sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1)) };
  }

  private notFound(found: Found, documents: readonly string[]): Answer {
    const near = found.terms
      .filter((term) => term.isName || term.frequency > 0)
      .sort((a, b) => b.weight - a.weight)
      .slice(0, 3)
      .flatMap((term) => this.database.titlesWith(term.written, 2));
    const seen = new Set<string>();
    const once = near.filter((one) => !seen.has(`${one.path}:${one.startLine}`) && seen.add(`${one.path}:${one.startLine}`)).slice(0, 4);
    return { text: composeNotFound(found, this.database.totals().files, once, documents), citations: [], found: false };
  }
}

