import { describe, expect, it } from 'vitest';
import { moduleFile, sourceOf } from './built-from.js';
import { type EnvironmentScope, isBelow, readEnvironmentScope } from './environment-scope.js';

describe('a question about environment variables', () => {
  const ALL: EnvironmentScope = { languages: [], without: [], folders: [], includesTests: false };

  it.each<[string, Partial<EnvironmentScope>]>([
    ['which are read', {}],
    ['which does python read', { languages: ['python'] }],
    ['which does go read', { languages: ['go'] }],
    ['which does golang read', { languages: ['go'] }],
    ['which does rust read', { languages: ['rust'] }],
    ['which does java read', { languages: ['java'] }],
    ['which does ruby read', { languages: ['ruby'] }],
    ['which does php read', { languages: ['php'] }],
    ['which does shell read', { languages: ['bash'] }],
    ['which does bash, or sh read', { languages: ['bash'] }],
    ['which does c read', { languages: ['cpp'] }],
    ['which does c++ read', { languages: ['cpp'] }],
    ['(c)', { languages: ['cpp'], folders: [] }],
    ['c/x, y', { languages: ['cpp'] }],
    ['all of c', { languages: ['cpp'] }],
    ['abc or c-x', {}],
    ['all of cpp', { languages: ['cpp'] }],
    ['all of c#', { languages: ['csharp'] }],
    ['all of csharp', { languages: ['csharp'] }],
    ['which does javascript read', { languages: ['ecmascript'] }],
    ['which does typescript, js, ts or node read', { languages: ['ecmascript'] }],
    ['which are read, without python', { without: ['python'] }],
    ['which are read, leaving out the go code', { without: ['go'] }],
    ['which are read; python aside', { without: ['python'] }],
    ['which does go read, except for rust, java', { languages: ['go'], without: ['rust', 'java'] }],
    ['which are read, without the tests', { leavesOutTests: true }],
    ['which are read, ignoring test', { leavesOutTests: true }],
    ['which are read, without build script', { leavesOutTests: true }],
    ['which are read, without build scripts', { leavesOutTests: true }],
    ['which are read, without builds', {}],
    ['which are read, tests included', { includesTests: true }],
    ['which are read under src?', { folders: ['src'] }],
    ['which are read under src.', { folders: ['src'] }],
    ['which are read under `src/v1.2`.', { folders: ['src/v1.2'] }],
    ['which does the code read in it.', {}],
    ['which are read in the src/on-x.y folder', { folders: ['src/on-x.y'] }],
    ['which are read in `src`?', { folders: ['src'] }],
    ['which are read (src/)', { folders: ['src'] }],
    ['which are read by package lamp, or in wick?', { folders: ['lamp', 'wick'] }],
    ['which are read under python?', { languages: ['python'] }],
    ...['it', 'this', 'total', 'code', 'production', 'here', 'there', 'general', 'my', 'source', 'sources'].map(
      (word): [string, Partial<EnvironmentScope>] => [`which are read in ${word}?`, {}],
    ),
  ])('%j', (text, scope) => expect(readEnvironmentScope(text)).toEqual({ ...ALL, ...scope }));

  it.each<[string, string, boolean]>([
    ['src/a.ts', 'src', true],
    ['x/SRC/y/a.ts', 'src', true],
    ['x/src/y/a.ts', 'src/y', true],
    ['src.ts', 'src', false],
    ['x/src', 'src', false],
    ['mysrc/a.ts', 'src', false],
    ['srcs/a.ts', 'src', false],
  ])('%s is below %s: %s', (path, folder, isOne) => expect(isBelow(path, folder)).toBe(isOne));
});

describe('the source of what a manifest names', () => {
  const source = (named: string, paths: readonly string[], folder = '', mayBeIndex?: boolean) =>
    sourceOf(named, folder, (path) => paths.includes(path), mayBeIndex);

  it.each(['', '.js', '.cjs', '.mjs', '.ts', '.mts', '.cts', '.tsx', '.json', '/index.js', '/index.ts'])(
    'is there with the end %j',
    (ending) => {
      expect(source('./on/lamp', [`on/lamp${ending}`])).toBe(`on/lamp${ending}`);
      expect(source('/on/x/../lamp', [`a/on/lamp${ending}`], 'a/')).toBe(`a/on/lamp${ending}`);
    },
  );

  it.each(['.ts', '.tsx', '.mts', '.cts', '.js', '.mjs', '.cjs', '.jsx', '.coffee'])('has the end %j', (ending) => {
    for (const folder of ['src/', 'lib/', 'source/', '']) {
      expect(source('dist/lamp.js', [`${folder}lamp${ending}`])).toBe(`${folder}lamp${ending}`);
      expect(source('dist/lamp.js', [`${folder}index${ending}`])).toBe(`${folder}index${ending}`);
      expect(source('dist/lamp.js', [`${folder}index${ending}`], '', false)).toBeUndefined();
    }
    expect(source('dist/lamp.js', [`a/src/lamp${ending}`], 'a/')).toBe(`a/src/lamp${ending}`);
    expect(source('dist/lamp.js', [`other/lamp${ending}`])).toBeUndefined();
  });

  it.each([
    'lamp.min.js',
    'lamp.umd.cjs',
    'lamp.esm.mjs',
    'lamp.common.prod.js',
    'lamp.bundle.node.min.jsx',
    'lamp.tsx',
    'lamp',
  ])('of %s has no such end', (name) => expect(source(`build/${name}`, ['src/lamp.ts'])).toBe('src/lamp.ts'));

  it.each(['lamp.x.js', 'lamp.json', 'lamp.jsm'])('of %s is none', (name) => {
    expect(source(`build/${name}`, ['src/lamp.ts'])).toBeUndefined();
  });

  it.each(['..', '../lamp', '.', './', '', '/'])('is none for %j', (named) => {
    expect(source(named, ['index.js', 'src/index.ts', 'lamp.js', '/index.js', '../lamp.js', '..'])).toBeUndefined();
  });

  it('is rather the file that is named than what it is built from', () => {
    expect(source('lamp.js', ['src/lamp.ts', 'lamp.js'])).toBe('lamp.js');
    expect(source('lamp', ['lamp.ts', 'lamp.js'])).toBe('lamp.js');
    expect(source('dist/lamp.js', ['index.ts', 'lib/lamp.js', 'src/index.js'])).toBe('src/index.js');
  });

  it('is a module of Python in one of three folders', () => {
    for (const folder of ['', 'src/', 'lib/'])
      for (const end of ['.py', '/__init__.py', '/__main__.py']) {
        const path = `a/${folder}lamp/on${end}`;
        expect(moduleFile('lamp.on', 'a/', (one) => one === path)).toBe(path);
      }
    expect(moduleFile('lamp', '', (one) => one === 'other/lamp.py')).toBeUndefined();
  });
});
