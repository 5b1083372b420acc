import { CODE_PLACES_MAX } from '../../../contract/code.js';
import type {
  FoundFact,
  FoundImport,
  FoundReference,
  FoundSymbol,
} from '../../../storage/database/structure-reader.js';
import type { ParameterRow } from '../../../storage/database/structure-schema.js';

/** The order in which kinds of symbols are meant by a name. */
const KIND_ORDER = [
  'class',
  'interface',
  'struct',
  'trait',
  'enum',
  'record',
  'function',
  'macro',
  'type',
  'module',
  'method',
  'constant',
  'variable',
  'field',
];
export interface Place {
  path: string;
  startLine: number;
  endLine: number;
  /** A signature, a name or a value. Not the line itself. */
  text: string;
  /** The names around it, joined by dots. */
  container: string;
  /** 0 for a source, 1 for a test or an example, 2 for third-party code. */
  role: number;
  /** How far away it is, where places are found through others. */
  depth?: number;
}

/** Up to 200 places, sources first, and how many there are. */
export interface Places {
  total: number;
  /** In how many files. */
  files: number;
  places: Place[];
  /** Whether some are found by their name only, and may mean something else of the same name. */
  byName: boolean;
  /** Of a name with several definitions: how many places mean each, as `path:line` and count. */
  perDefinition?: ReadonlyMap<string, number>;
}

/** A definition of a name, as the answer to a question about it. */
export interface Definition extends Place {
  name: string;
  kind: string;
  doc: string;
  parameters?: readonly ParameterRow[];
}

export const kindRank = ({ kind }: FoundSymbol) =>
  (KIND_ORDER.indexOf(kind) + KIND_ORDER.length + 1) % (KIND_ORDER.length + 1);
/** The parts of `Class.method`, `module.fn`, `A::b`, `a#b` and `a->b`. */
export const splitName = (name: string) =>
  name
    .replace(/\(\)$/, '')
    .split(/\.|::|#|->|\\/)
    .filter((part) => part !== '');

/** Whether the names before the last are around it: as containers, or as the name of its file or folder. */
export function hasContainer(container: string, wanted: readonly string[], path: string): boolean {
  if (wanted.length === 0) return true;
  const around = container.split('.').filter((part) => part !== '');
  const file = path.replace(/\.\w+$/, '').split('/');
  const all = [...file, ...around].map((part) => part.toLowerCase());
  const last = wanted.map((part) => part.toLowerCase());
  const isNamed = (names: readonly string[]) =>
    last.every((part, index) => names[names.length - last.length + index] === part);
  // A package is named by its folder, and `index`, `mod` and `__init__` by the folder around.
  return (
    isNamed(all) ||
    (around.length === 0 && isNamed(file.slice(0, -1).map((part) => part.toLowerCase()))) ||
    isNamed(around.map((part) => part.toLowerCase()))
  );
}

export const toPlace = (one: FoundReference): Place => ({
  path: one.path,
  startLine: one.line,
  endLine: one.line,
  text: one.name,
  container: one.container,
  role: one.role,
});

/** The place of a stored fact, with what is shown of it. */
export const factPlace = ({ path, line, role }: FoundFact, text: string, container: string): Place => ({
  path,
  startLine: line,
  endLine: line,
  text,
  container,
  role,
});

export const importPlace = (one: FoundImport): Place => ({
  path: one.path,
  startLine: one.line,
  endLine: one.line,
  text: one.specifier,
  container: '',
  role: one.role,
});

export const toDefinition = (one: FoundSymbol): Definition => ({
  path: one.path,
  startLine: one.line,
  endLine: one.endLine,
  text: one.signature,
  container: one.container,
  role: one.role,
  name: one.name,
  kind: one.kind,
  doc: one.doc,
  ...(one.parameters ? { parameters: one.parameters } : {}),
});

export function toPlaces(places: readonly Place[]): { total: number; files: number; places: Place[] } {
  return {
    total: places.length,
    files: new Set(places.map(({ path }) => path)).size,
    places: places.slice(0, CODE_PLACES_MAX),
  };
}

export const sortPlaces = (places: Place[]) =>
  places.sort(
    (a, b) =>
      a.role - b.role ||
      (a.depth ?? 0) - (b.depth ?? 0) ||
      (a.path < b.path ? -1 : a.path > b.path ? 1 : a.startLine - b.startLine),
  );
