/** The kinds of questions about the structure of code. */
export const KINDS = [
  'definition',
  'callers',
  'importers',
  'affected',
  'environment',
  'parameters',
  'extends',
] as const;
export type Kind = (typeof KINDS)[number];

/** A question whose whole answer a tool has computed. Places are `path:line`, or `path` where a file is the answer. */
export interface StructureQuestion {
  kind: Kind;
  text: string;
  /** The name or the path that it is about; empty where it is about the whole code base. */
  about: string;
  /** Every place that answers. Empty where the answer is that there is none. */
  truth: string[];
  /** The names that the answer has to state. Only then do they count for recall, and the places for precision. */
  names?: string[];
  /** Places that an answer may show, and need not. */
  also?: string[];
}

/** The content of `<code base>.json`. */
export interface StructureSet {
  name: string;
  /** Endings of the files that the tools have read. */
  endings: string[];
  questions: StructureQuestion[];
}
