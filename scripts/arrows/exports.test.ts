import { describe, expect, it } from 'vitest';
import { findUnusedExports, findUnusedFiles } from './exports.js';

const unused = (files: Record<string, string>, isEntry = (_file: string) => false) =>
  findUnusedExports(new Map(Object.entries(files)), isEntry).map(({ file, line, name }) => `${file}:${line} ${name}`);

describe('unused exports', () => {
  const a = 'export const b = 1;\nexport type C = string;\n\nexport default 2;\n';

  it('are reported with name and line', () => {
    expect(unused({ 'a.ts': a, 'main.ts': '' })).toEqual(['a.ts:1 b', 'a.ts:2 C', 'a.ts:4 default']);
  });

  it.each([
    ["import x, { b, type C } from './a.js';", []],
    ["import { b as d } from './a.js';", ['a.ts:2 C', 'a.ts:4 default']],
    ["import type { C } from './a.js';", ['a.ts:1 b', 'a.ts:4 default']],
    ["export { b } from './a.js';", ['a.ts:2 C', 'a.ts:4 default', 'main.ts:1 b']],
    ["import * as all from './a.js';", []],
    ["const { b, default: c } = await import('./a.js');", ['a.ts:2 C']],
    ["const a = await import('./a.js');", []],
    ["type A = typeof import('./a.js');", []],
    ["import './a.js';", ['a.ts:1 b', 'a.ts:2 C', 'a.ts:4 default']],
    ["import { b } from 'a';", ['a.ts:1 b', 'a.ts:2 C', 'a.ts:4 default']],
  ])('%s', (text, found) => {
    expect(unused({ 'a.ts': a, 'main.ts': text })).toEqual(found);
  });

  it('of an entry file are not reported', () => {
    expect(unused({ 'a.ts': a }, (file) => file === 'a.ts')).toEqual([]);
  });
});

it('files without importers are reported, except entry files', () => {
  const arrow = (from: string, to: string) => ({ from, to, isType: false, isPackage: false });
  const tree = {
    files: new Map(['main.ts', 'a.ts', 'b.ts', 'self.ts'].map((file) => [file, ''])),
    arrows: [arrow('main.ts', 'a.ts'), arrow('self.ts', 'self.ts')],
  };
  expect(findUnusedFiles(tree, (file) => file === 'main.ts')).toEqual(['b.ts', 'self.ts']);
});
