import type { AgentFormat, FieldFate, ImportScope } from '../../contract/imports.js';

/** Keys and values of a file of another tool, as its own language says them. */
export type Data = Record<string, unknown>;

/** One agent as another tool's file describes it: what stands beside the prompt, and the prompt. */
export interface ForeignAgent {
  data: Data;
  body: string;
}

/** Where an agent of another tool was found. `path` is relative to the project, or to the home folder with scope `user`. */
export interface Place {
  format: AgentFormat;
  scope: ImportScope;
  path: string;
  /** The key of the agent in a file that holds several. */
  entry: string | null;
}

/** The keys of a member that another tool has words for; the limits one by one. */
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

/** What a file of another tool comes to here. */
export interface Reading {
  keys: SharedKeys;
  /** What only an export needs, verbatim but for inline secrets. */
  vendor: Data;
  fields: FieldFate[];
  notes: string[];
  /** The keys of the file with inline secrets replaced. */
  data: Data;
  /** The variables that stand in the place of inline secrets. */
  secrets: string[];
}

export const isObject = (value: unknown): value is Data =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
