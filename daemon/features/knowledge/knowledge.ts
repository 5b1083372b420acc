import type { Citation, ContextDoc } from '../../contract/asks.js';
import type { FileLines, KnowledgeStatus } from '../../contract/system.js';

/** A question about this project. Everything in it is data from outside, never a command. */
export interface PlainQuestion {
  text: string;
  /** Documents that the caller brings: further evidence, quoted by their name, never cited as files of the project. */
  context_docs?: readonly ContextDoc[];
  /** Paths (or URLs, ignored) that the answering member should know: files under them are preferred. */
  refs?: readonly string[];
  /** Who is answered; default `operator`. */
  profile?: Profile;
}

/** Who reads. Other programs (`outside`) are told of the files that git tracks, as if there were no others; of none while git cannot tell. */
export type Profile = 'operator' | 'outside';

export interface Question extends PlainQuestion {
  signal?: AbortSignal;
}

/** An answer composed from the project's own files. `found` is false when the evidence is too weak; there are no citations then. */
export interface Answer {
  text: string;
  citations: Citation[];
  found: boolean;
}

/**
 * What the project's own files say: an index over its text, answers with citations, and the check of anyone's citations.
 * Implemented in this process (`LocalKnowledge`) and over a worker thread (`WorkerKnowledge`).
 */
export interface Knowledge {
  /** Begins to read the project and returns at once. Repeating it is safe. */
  start(): void;
  status(): KnowledgeStatus;
  /** Calls `listener` at every change of the status; returns how to stop. */
  onStatus(listener: (status: KnowledgeStatus) => void): () => void;
  /**
   * Answers from the tree as it stands, waiting for the index when it is still being built. The same tree and question give the
   * same answer. Throws an AbortError when `signal` fires and `overloaded` when the index cannot be read.
   */
  answer(question: Question): Promise<Answer>;
  /**
   * The citations as they stand against the working tree now, in the same order: `checked`, `moved` (with the lines where the quote
   * is found) or `dropped`. Paths are not trusted: one that leaves the project or may not be read by `profile` is dropped.
   */
  check(citations: readonly Citation[], profile?: Profile): Promise<Citation[]>;
  /** Reads again what has changed on disk since the last look. */
  rescan(): Promise<void>;
  /**
   * Lines of a file that the index may read, from `start` (default 1) to `end` (default: as many as one call gives, 2,000).
   * Throws `not_found` for any other path and `bad_request` when `end` is before `start`.
   */
  readLines(path: string, start?: number, end?: number, profile?: Profile): Promise<FileLines>;
  /** Up to `limit` paths of indexed files, best match with `words` first; of an index that is still being built, what it holds by then. */
  findPaths(words: string, limit: number, profile?: Profile): Promise<string[]>;
  close(): Promise<void>;
}

/** The last line of every answer that is composed here. */
export const NO_MODEL_LINE = "Answered by meshd's built-in search over this project; no model was used.";

export const READ_LINES_MAX = 2_000;
