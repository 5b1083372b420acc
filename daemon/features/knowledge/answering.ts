import type { PassageReader } from '../../storage/database/passage-reader.js';
import {
  type Cite,
  chooseFacts,
  composeAnswer,
  composeLikely,
  composeNotFound,
  type Fact,
  moveToFront,
} from './composition.js';
import { documentNote } from './context-docs.js';
import { weighEvidence } from './evidence.js';
import { History } from './history.js';
import type { Answer, ComposedAnswer, PlainQuestion } from './knowledge.js';
import { type Intent, readIntent } from './newcomers/intent.js';
import { type FrontLines, frontPages, introducingSentence, introduction, saysWhatItIs } from './passages/front-page.js';
import { findFacts } from './project-facts/fact-questions.js';
import type { ProjectFact, ProjectTree } from './project-facts/project-fact.js';
import { projectNames } from './project-facts/project-names.js';
import { type Reading, readQuestion } from './question.js';
import type { WeighedTerm } from './ranking.js';
import type { Found, ReadLines, Search } from './search.js';
import { STRUCTURE_PENDING, type StructureAnswers } from './structure/structure-answers.js';
import type { TraceNotes } from './trace-notes.js';

type Searched = Answer['searched'];

/** An answer from the manifests quotes no more places than this. */
const QUOTES_MAX = 3;

/** Answers questions from the index: parses, searches, decides whether the evidence is sufficient, and composes. */
export class Answering {
  private readonly database: PassageReader;
  private readonly search: Search;
  private readonly cite: Cite;
  private readonly linesOf: ReadLines;
  private readonly history: History;
  private readonly structure: Pick<StructureAnswers, 'answer'> | undefined;
  private readonly folder: string;
  private readonly submodules: () => readonly string[];
  private known: { tree: ProjectTree; names: readonly string[] } | undefined;

  constructor({
    database,
    folder,
    search,
    cite,
    linesOf: splitLines,
    structure,
    submodules = () => [],
  }: {
    database: PassageReader;
    /** Name of the project's folder, by which a question may call it. */
    folder: string;
    search: Search;
    cite: Cite;
    linesOf: ReadLines;
    /** Answers questions about definitions, calls and imports before the text is searched. */
    structure?: Pick<StructureAnswers, 'answer'>;
    /** Submodules, which are not searched and count as left out. */
    submodules?: () => readonly string[];
  }) {
    this.database = database;
    this.search = search;
    this.cite = cite;
    this.linesOf = splitLines;
    this.history = new History(database);
    this.structure = structure;
    this.folder = folder;
    this.submodules = submodules;
  }

  /** Whether the structure graph answers the question, once it is complete. */
  needsStructure(text: string): boolean {
    const { names } = this.project();
    return this.structure?.answer(text, readIntent(text, names), names) === 'pending';
  }

  /** Returns every path of the index and what the project is called. The index lists its paths anew after a change. */
  private project(): { tree: ProjectTree; names: readonly string[] } {
    const paths = this.database.paths();
    if (this.known?.tree.paths !== paths) {
      const tree = { paths, all: new Set(paths), linesOf: this.linesOf };
      this.known = { tree, names: projectNames(tree, this.folder) };
    }
    return this.known;
  }

  /**
   * `searched` is what the index holds. While files are pending, the answer says so and claims no absence.
   */
  answer(question: PlainQuestion, searched: Searched, notes: TraceNotes): ComposedAnswer {
    const { tree, names } = this.project();
    const intent = readIntent(question.text, names);
    notes.lap('question');
    const structural = this.structure?.answer(question.text, intent, names);
    notes.lap('facts');
    if (typeof structural === 'object') {
      notes.setSource('structure', structural.form);
      return structural.answer;
    }
    const reading = readQuestion(question.text);
    const refs = (question.refs ?? [])
      .filter((ref) => !/^[a-z]+:\/\//i.test(ref))
      .map((ref) => ref.replace(/^\.\//, ''));
    const terms = this.search.weighTerms(reading);
    notes.setTerms(terms);
    notes.lap('search');
    const documents = [
      ...documentNote(question.context_docs ?? [], reading, terms),
      ...(searched.pending !== undefined ? [pendingNote(searched.files, searched.pending)] : []),
      ...(searched.pending === undefined && structural === 'pending' ? [STRUCTURE_PENDING] : []),
    ];
    const known =
      (intent?.kind === 'purpose' ? this.overview(tree, names, documents, notes) : undefined) ??
      this.fromManifests(findFacts(intent, tree, names), documents, notes, intent) ??
      this.past(reading, terms, refs, documents, notes);
    notes.lap('facts');
    return known ?? this.fromText(reading, terms, refs, documents, searched, notes);
  }

  /** Answers from the passages that fit best, or says what was searched. */
  private fromText(
    reading: Reading,
    terms: readonly WeighedTerm[],
    refs: readonly string[],
    documents: readonly string[],
    searched: Searched,
    notes: TraceNotes,
  ): ComposedAnswer {
    const found = this.search.find(terms, reading, refs);
    notes.setSource('text', reading.shape);
    notes.setPassages(found.passages);
    notes.lap('search');
    const answer = this.fromPassages(reading, found, documents, notes) ?? this.notFound(terms, documents, searched);
    notes.lap('decision');
    return answer;
  }

  private fromPassages(
    reading: Reading,
    found: Found,
    documents: readonly string[],
    notes: TraceNotes,
  ): ComposedAnswer | undefined {
    const { confidence, grounds } = weighEvidence(found, reading);
    if (grounds) notes.setEvidence(grounds);
    if (confidence === 'none') return undefined;
    const facts = chooseFacts(found, this.cite, notes);
    if (facts.length === 0) return undefined;
    if (confidence === 'likely')
      return { text: composeLikely(facts, documents), citations: facts.map(({ citation }) => citation), confidence };
    const led = moveToFront(facts, found.terms, reading);
    return answered(led.lead, led.facts, documents);
  }

  /** Answers a newcomer's question from the project's manifests. */
  private fromManifests(
    facts: readonly ProjectFact[],
    documents: readonly string[],
    notes: TraceNotes,
    intent: Intent | undefined,
  ): ComposedAnswer | undefined {
    const found = facts.flatMap((fact) => {
      const lines = (this.linesOf(fact.path) ?? []).slice(fact.startLine - 1, fact.endLine);
      const quote = this.frontFact({ ...fact, lines, title: '', isCode: true });
      return quote ? [{ fact, quote }] : [];
    });
    const [first] = found;
    if (!first) return undefined;
    notes.setSource('manifests', intent?.kind === 'task' ? intent.task : (intent?.kind ?? 'task'));
    notes.setUnquoted(found.slice(QUOTES_MAX).map(({ quote }) => quote.citation));
    const { sentence, path, startLine } = first.fact;
    const quotes = found.slice(0, QUOTES_MAX).map(({ quote }) => quote);
    const others = found.slice(1, QUOTES_MAX).filter(({ fact }) => fact.isAlso);
    const also = others.map(({ fact }, at) => `${fact.sentence} (\`${fact.path}:${fact.startLine}\`). [${at + 2}]`);
    return answered([`${sentence} (\`${path}:${startLine}\`). [1]`, ...also].join(' '), quotes, documents);
  }

  /** Answers a question about the project as a whole from its front pages. */
  private overview(
    tree: ProjectTree,
    names: readonly string[],
    documents: readonly string[],
    notes: TraceNotes,
  ): ComposedAnswer | undefined {
    // A manifest describes the project in one line; the README continues from there.
    const worth = (one: FrontLines) => (one.isCode ? 2 : saysWhatItIs(one, names) ? 1 : 0);
    const pages = introduction(frontPages(tree.paths, names), this.linesOf)
      .sort((a, b) => worth(b) - worth(a))
      .slice(0, QUOTES_MAX);
    const facts = pages.flatMap((lines) => {
      const fact = this.frontFact(lines);
      return fact ? [{ fact, lines }] : [];
    });
    const first = facts[0];
    if (!first) return undefined;
    notes.setSource('introduction', 'overview');
    return answered(
      `${introducingSentence(first.lines)} [1]`,
      facts.map(({ fact }) => fact),
      documents,
    );
  }

  /** Answers a question about changes from the Git log, with quotes of the changed files in their current state. */
  private past(
    reading: Reading,
    terms: readonly WeighedTerm[],
    refs: readonly string[],
    documents: readonly string[],
    notes: TraceNotes,
  ): ComposedAnswer | undefined {
    const past = reading.shape === 'history' ? this.history.find(terms) : undefined;
    if (!past) return undefined;
    const found = this.search.among(past.paths, terms, reading, refs);
    notes.setSource('history', reading.shape);
    notes.setPassages(found.passages);
    const facts = chooseFacts(found, this.cite, notes);
    return facts.length === 0 ? undefined : answered(past.text, facts, documents);
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

  private notFound(terms: readonly WeighedTerm[], documents: readonly string[], searched: Searched): ComposedAnswer {
    const near = terms
      .filter((term) => term.isName || term.frequency > 0)
      .sort((a, b) => b.weight - a.weight)
      .slice(0, 3)
      .flatMap((term) => this.database.titlesWith(term.written, 2));
    const seen = new Set<string>();
    const once = near
      .filter((one) => !seen.has(`${one.path}:${one.startLine}`) && seen.add(`${one.path}:${one.startLine}`))
      .slice(0, 4);
    return {
      text: composeNotFound(terms, { ...searched, submodules: this.submodules() }, once, documents),
      citations: [],
      confidence: 'none',
    };
  }
}

const pendingNote = (read: number, pending: number) =>
  `The index is still being built: ${pending} of ${read + pending} files were not read yet. ` +
  'Ask again for a complete answer.';

function answered(lead: string, facts: readonly Fact[], notes: readonly string[]): ComposedAnswer {
  return {
    text: composeAnswer(lead, facts, notes),
    citations: facts.map((fact) => fact.citation),
    confidence: 'found',
  };
}
