import type { Citation } from '../../contract/asks.js';
import type { CodePlaces, CodeQuery, ProjectNames } from '../../contract/code.js';
import type { ErrorCode } from '../../contract/errors.js';
import type { FileLines, KnowledgeStatus } from '../../contract/system.js';
import type { Answer, PlainQuestion, Profile } from './knowledge.js';

/** The `workerData` of the worker. */
export interface WorkerSetup {
  root: string;
  state: string;
  environment: Record<string, string | undefined>;
}

/** The calls of the worker: arguments and result of each. */
export interface Calls {
  start: { give: null; take: null };
  answer: { give: PlainQuestion; take: Answer };
  check: { give: { citations: readonly Citation[]; profile: Profile | undefined }; take: Citation[] };
  recheck: { give: { citations: readonly Citation[]; profile: Profile | undefined }; take: Citation[] };
  rescan: { give: null; take: null };
  readLines: {
    give: { path: string; start: number | undefined; end: number | undefined; profile: Profile | undefined };
    take: FileLines;
  };
  findCode: { give: { query: CodeQuery; name: string | undefined; profile: Profile | undefined }; take: CodePlaces };
  findPaths: { give: { words: string; limit: number; profile: Profile | undefined }; take: string[] };
  findNames: { give: { text: string; limit: number; profile: Profile | undefined }; take: ProjectNames };
  close: { give: null; take: null };
}

export type CallName = keyof Calls;
export type CallMessage = { [N in CallName]: { id: number; call: N; give: Calls[N]['give'] } }[CallName];

/** Messages of the worker: status changes, and the outcome of every call. */
export type WorkerMessage =
  | { type: 'status'; status: KnowledgeStatus }
  | { type: 'done'; id: number; take: Calls[CallName]['take'] }
  | {
      type: 'failed';
      id: number;
      error: { code: ErrorCode; message: string; details: Record<string, unknown> };
      /** What only the log is told: the error itself, or the one that caused a refusal. */
      fault?: { name: string; message: string; stack: string };
    };
