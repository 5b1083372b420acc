import type { AnswerTrace } from '../../contract/answer-trace.js';
import type { Citation, Confidence, ContextDoc, SearchOutcome } from '../../contract/asks.js';
import type { CodePlaces, CodeQuery, ProjectNames } from '../../contract/code.js';
import type { FileLines, KnowledgeStatus } from '../../contract/system.js';

/** A question about this project. All of it is untrusted data, never a command. */
export interface PlainQuestion {
  text: string;
  /** Documents from the caller: additional evidence, quoted by their name, never cited as files of the project. */
  context_docs?: readonly ContextDoc[];
  /** Paths that the answering member should know; URLs are ignored. Files under these paths are preferred. */
  refs?: readonly string[];
  /** Who receives the answer; default `operator`. */
  profile?: Profile;
}

/** Who reads. Other programs (`outside`) see only the files that Git tracks, and none while Git cannot be queried. */
export type Profile = 'operator' | 'outside';

export interface Question extends PlainQuestion {
  signal?: AbortSignal;
}

/** An answer composed from the project's own files, before it is known what the index left out. */
export interface ComposedAnswer {
  text: string;
  /** At most `CITATIONS_MAX`. */
  citations: Citation[];
  /** `none` has no citations. */
  confidence: Confidence;
  /** How many places there are, when the answer lists them; default: the number of its citations. */
  total?: number;
}

export interface Answer extends ComposedAnswer {
  searched: SearchOutcome['searched'];
  /** How it was found. For the operator only. */
  trace?: AnswerTrace;
}

/**
 * The knowledge in the project's own files: an index over their text, answers with citations, and the check of
 * citations. Implemented in the same thread (`LocalKnowledge`) and over a worker thread (`WorkerKnowledge`).
 */
export interface Knowledge {
  /** Starts reading the project in the background. Idempotent. */
  start(): void;
  status(): KnowledgeStatus;
  /** Calls `listener` at every status change. Returns a function that unsubscribes it. */
  onStatus(listener: (status: KnowledgeStatus) => void): () => void;
  /**
   * Answers from the working tree, and waits while the index is still being built. The same tree and question yield the
   * same answer, but for the times of its trace. Throws an AbortError when `signal` fires, and `overloaded` when the
   * index cannot be read.
   */
  answer(question: Question): Promise<Answer>;
  /**
   * Checks citations against the working tree, in the same order: `checked`, `moved` (with the lines where the quote is
   * found) or `dropped`. Paths are untrusted: one that leaves the project or that `profile` may not read is dropped.
   */
  check(citations: readonly Citation[], profile?: Profile): Promise<Citation[]>;
  /**
   * Looks again at citations of earlier answers, in the same order. A quote that is still at its lines leaves its
   * citation as it is. Otherwise the status is `moved`, with the lines where the quote is now, or `changed`, and
   * `given` has the fields that differ as they were. Citations are returned as they are while it is not known what
   * `profile` may read, and after the first 200 or 8 MiB of files. Waits at most 500 ms for a running scan.
   */
  recheck(citations: readonly Citation[], profile?: Profile): Promise<Citation[]>;
  /** Reads everything that has changed on disk since the last scan. */
  rescan(): Promise<void>;
  /**
   * Returns lines of an indexable file, from `start` (default 1) to `end` (default and maximum: 2,000 lines per call).
   * Throws `not_found` for any other path, and `bad_request` when `end` is before `start`.
   */
  readLines(path: string, start?: number, end?: number, profile?: Profile): Promise<FileLines>;
  /**
   * Looks places up in the structure graph, which it waits for up to five seconds. Throws `bad_request` when `query`
   * needs a name and there is none.
   */
  findCode(query: CodeQuery, name?: string, profile?: Profile): Promise<CodePlaces>;
  /** Returns up to `limit` indexed paths, best match with `words` first; during indexing, those indexed so far. */
  findPaths(words: string, limit: number, profile?: Profile): Promise<string[]>;
  /**
   * Returns up to `limit` indexed paths and as many definitions that contain every word of `text`, best match first;
   * what is indexed so far. It waits for no scan and starts one: a later call finds what has changed. A blank text
   * finds nothing and does only that.
   */
  findNames(text: string, limit: number, profile?: Profile): Promise<ProjectNames>;
  close(): Promise<void>;
}

/** The last line of every answer that is composed here. */
export const NO_MODEL_LINE = "Answered by meshd's built-in search over this project; no model was used.";

export const READ_LINES_MAX = 2_000;
