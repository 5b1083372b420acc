import type { AgentFormat, FieldFate, ImportScope } from '../../contract/imports.js';

/** Keys and values of another tool's file, in that tool's terms. */
export type Data = Record<string, unknown>;

/** One agent in another tool's file: its keys, and its prompt (`body`). */
export interface ForeignAgent {
  data: Data;
  body: string;
}

/** The location of another tool's agent. `path` is relative to the project, or to the home folder with scope `user`. */
export interface Place {
  format: AgentFormat;
  scope: ImportScope;
  path: string;
  /** The key of the agent in a file that holds several. */
  entry: string | null;
}

/** The keys of a member that other tools can express, with each limit as a separate key. */
export const SHARED_KEYS = [
  'name',
  'description',
  'model',
  'effort',
  'color',
  'tools',
  'limits.turns',
  'limits.minutes',
] as const;
export type SharedKey = (typeof SHARED_KEYS)[number];
export type SharedKeys = Partial<Record<SharedKey, unknown>>;

/** The result of converting another tool's file. */
export interface Reading {
  keys: SharedKeys;
  /** The data that only an export needs, verbatim except for inline secrets. */
  vendor: Data;
  fields: FieldFate[];
  notes: string[];
  /** The keys of the file, with inline secrets replaced. */
  data: Data;
  /** The variables that replace inline secrets. */
  secrets: string[];
}
