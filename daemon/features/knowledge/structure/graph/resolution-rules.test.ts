import { describe, expect, it } from 'vitest';
import type { FoundSymbol } from '../../../../storage/database/structure-reader.js';
import {
  BY_FOLDER,
  COMMON,
  containers,
  folder,
  IMPLICIT_SELF,
  isInternal,
  isOne,
  isOwnImpl,
  lastPart,
  OPEN,
  stem,
  withDefinitions,
} from './resolution-rules.js';

const symbol = (parts: Partial<FoundSymbol> = {}): FoundSymbol => ({
  ...{ id: 1, file: 1, path: 'a.ts', role: 0, line: 1, endLine: 1, name: 'light', kind: 'function', container: '' },
  ...{ signature: '', doc: '', exported: 1, isDeclaration: false, parameters: undefined, language: 'cpp' },
  ...parts,
});

it('takes paths and names apart', () => {
  expect([lastPart('a.b.c'), lastPart('a')]).toEqual(['c', 'a']);
  expect([folder('a/b/c.ts'), folder('c.ts')]).toEqual(['a/b/', '']);
  expect([stem('a/b.test.ts'), stem('b.rs'), stem('a.b/Makefile')]).toEqual(['b.test', 'b', 'Makefile']);
});

it.each([
  ['./a', 'ecmascript', true],
  ['../a', 'ecmascript', true],
  ['#a', 'ecmascript', true],
  ['@/a', 'ecmascript', true],
  ['~/a', 'ecmascript', true],
  ['a/./b', 'ecmascript', false],
  ['@a/b', 'ecmascript', false],
  ['~a', 'ecmascript', false],
  ['crate', 'ecmascript', false],
  ['crate', 'rust', true],
  ['self::a', 'rust', true],
  ['super::a', 'rust', true],
  ['a::crate', 'rust', false],
  ['crates', 'rust', false],
  ['./a', 'rust', false],
])('%s in %s can only mean a file of the project: %s', (specifier, language, is) => {
  expect(isInternal(specifier, language)).toBe(is);
});

it('counts containers, those of C++ and Rust over all files', () => {
  const two = (language: string) => [
    symbol({ language, container: 'A' }),
    symbol({ language, file: 2, container: 'A' }),
  ];
  expect(['cpp', 'rust', 'java'].map((language) => containers(two(language)))).toEqual([1, 1, 2]);
  expect([containers([symbol({ container: 'A' }), symbol({ container: 'B' })]), containers([])]).toEqual([2, 0]);
});

it('takes declarations for no second definition', () => {
  const declared = symbol({ isDeclaration: true });
  expect([isOne([]), isOne([symbol(), declared]), isOne([symbol(), symbol()]), isOne([declared, declared])]).toEqual([
    ...[true, true, false, true],
  ]);
});

it('knows a block of methods by its kind', () => {
  const impl = symbol({ kind: 'type', isDeclaration: true });
  expect([
    isOwnImpl(impl),
    isOwnImpl({ ...impl, kind: 'class' }),
    isOwnImpl({ ...impl, isDeclaration: false }),
  ]).toEqual([...[true, false, false]]);
});

describe('withDefinitions', () => {
  const declared = symbol({ id: 1, isDeclaration: true });
  const defined = symbol({ id: 2, file: 2 });
  const all = [declared, defined];

  it('adds the definitions of what is declared, each once', () => {
    expect(withDefinitions([declared], all, () => true)).toEqual([declared, defined]);
    expect(withDefinitions([declared, defined], all, () => true)).toEqual([declared, defined]);
  });

  it('adds none to a definition, none of another kind, and none that may not be', () => {
    expect(withDefinitions([defined], [...all, symbol({ id: 3 })], () => true)).toEqual([defined]);
    expect(withDefinitions([declared], [declared, { ...defined, kind: 'macro' }], () => true)).toEqual([declared]);
    expect(withDefinitions([declared], all, () => false)).toEqual([declared]);
    const other = symbol({ id: 4, isDeclaration: true });
    expect(withDefinitions([declared], [declared, other], () => true)).toEqual([declared]);
  });
});

it('knows in which languages a name is seen without an import, and which names say nothing', () => {
  expect([...IMPLICIT_SELF]).toEqual(['java', 'csharp', 'cpp', 'ruby']);
  expect([...OPEN]).toEqual(['cpp', 'ruby', 'php', 'bash', 'csharp']);
  expect([...BY_FOLDER]).toEqual(['go', 'java']);
  expect(['add', 'forEach', 'put', 'splice', 'test', 'toUpperCase'].every((name) => COMMON.has(name))).toBe(true);
  expect(COMMON.has('light')).toBe(false);
});
