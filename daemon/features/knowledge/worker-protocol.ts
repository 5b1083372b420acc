import type { Citation } from '../../contract/asks.js';
import type { ErrorCode } from '../../contract/errors.js';
import type { FileLines, KnowledgeStatus } from '../../contract/system.js';
import type { Answer, PlainQuestion, Profile } from './knowledge.js';

/** What the worker is made with. */
export interface WorkerSetup {
  root: string;
  state: string;
  environment: Record<string, string | undefined>;
}

/** What can be asked of the worker: by call, its arguments and its answer. */
export interface Calls {
  start: { give: null; take: null };
  answer: { give: PlainQuestion; take: Answer };
  check: { give: { citations: readonly Citation[]; profile: Profile | undefined }; take: Citation[] };
  rescan: { give: null; take: null };
  readLines: {
    give: { path: string; start: number | undefined; end: number | undefined; profile: Profile | undefined };
    take: FileLines;
  };
  findPaths: { give: { words: string; limit: number; profile: Profile | undefined }; take: string[] };
  close: { give: null; take: null };
}

export type CallName = keyof Calls;
export type CallMessage = { [N in CallName]: { id: number; call: N; give: Calls[N]['give'] } }[CallName];

/** What the worker says: how the index stands, unasked, and the outcome of every call. */
export type WorkerMessage =
  | { type: 'status'; status: KnowledgeStatus }
  | { type: 'done'; id: number; take: Calls[CallName]['take'] }
  | { type: 'failed'; id: number; error: { code: ErrorCode; message: string; details: Record<string, unknown> } };
