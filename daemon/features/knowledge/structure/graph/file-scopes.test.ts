import { expect, it } from 'vitest';
import type { FoundImport, StructureReader } from '../../../../storage/database/structure-reader.js';
import { FileScopes } from './file-scopes.js';

const REACHED_MAX = 2_000;
const CACHED_MAX = 5_000;

/** Scopes over files that import each other as `targetsOf` says, and the files whose imports were read. */
function scopes(targetsOf: (file: number) => number[]) {
  const read: number[] = [];
  const reader = {
    targetsOf: (file: number) => targetsOf(file).map((target, at) => ({ import: at, target })),
    importsOf(file: number) {
      read.push(file);
      return targetsOf(file).map((_target, at) => ({ id: at, names: [] }) as unknown as FoundImport);
    },
  };
  return { scopes: new FileScopes(reader as unknown as StructureReader), read };
}

/** The ids of `count` files from `first` on. */
const files = (first: number, count: number) => Array.from({ length: count }, (_, at) => first + at);
/** Each file imports the next one. */
const chain = (file: number) => [file + 1];

it.each([
  [0, [1]],
  [1, [1, 2]],
  [3, [1, 2, 3, 4]],
])('reaches through %i imports %j', (depth, reached) => {
  expect([...scopes(chain).scopes.reachable(1, depth)]).toEqual(reached);
});

it('reaches files that import each other once', () => {
  const { scopes: circle, read } = scopes((file) => [(file % 3) + 1, file]);
  expect([...circle.reachable(1, 100)]).toEqual([1, 2, 3]);
  expect(new Set(read).size).toBe(read.length);
});

it.each([
  [REACHED_MAX - 2, 'reads on'],
  [REACHED_MAX - 1, 'reads no more'],
  [3_000, 'reads no more'],
])('of a file that imports %i others it %s', (count, next) => {
  const { scopes: wide, read } = scopes((file) => (file === 0 ? files(1, count) : []));
  expect(wide.reachable(0, 5).size).toBe(count + 1);
  expect(read.length).toBe(next === 'reads on' ? count + 1 : 1);
});

it('remembers the imports of at most 5,000 files', () => {
  const { scopes: many, read } = scopes(chain);
  for (const file of files(0, CACHED_MAX)) many.importsOf(file);
  many.importsOf(0);
  expect(read.length).toBe(CACHED_MAX);
  many.importsOf(CACHED_MAX);
  many.importsOf(0);
  expect(read.length).toBe(CACHED_MAX + 2);
});
