import { expect, it } from 'vitest';
import { findLargeFolders, findLongFunctions } from './large.js';

const long = (text: string) => findLongFunctions('a.ts', text, 3).map(({ name, line, length }) => [name, line, length]);

it.each([
  ['function a() {\n  b();\n}', []],
  ['\nfunction a() {\n  b();\n  c();\n}', [['a', 2, 4]]],
  ['const a = () => {\n  b();\n  c();\n};', [['a', 1, 4]]],
  ['class A {\n  b() {\n    c();\n    d();\n  }\n}', [['b', 2, 4]]],
  ['run(() => {\n  b();\n  c();\n});', [['a function', 1, 4]]],
  ['const a = [\n  1,\n  2,\n  3,\n];', []],
])('long functions of %j', (text, found) => {
  expect(long(text)).toEqual(found);
});

it('a file that cannot be parsed is named', () => {
  expect(() => findLongFunctions('a.ts', 'function (', 3)).toThrow('a.ts');
});

it('folders with too many files are listed, without the files of their folders', () => {
  expect(findLargeFolders(['a/1.ts', 'a/2.ts', 'a/b/3.ts', 'c/4.ts'], 1)).toEqual([{ folder: 'a', count: 2 }]);
});
