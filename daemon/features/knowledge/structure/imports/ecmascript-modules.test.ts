import { describe, expect, it } from 'vitest';
import { resolveModule } from './ecmascript-modules.js';
import { PathIndex } from './path-index.js';
import { readConfig } from './project-config.js';

/** Resolves imports in a project of these files; those with a text are its manifests. */
function project(paths: readonly string[], manifests: Record<string, unknown> = {}) {
  const texts = Object.fromEntries(Object.entries(manifests).map(([path, json]) => [path, JSON.stringify(json)]));
  const config = readConfig(Object.keys(texts), (path) => texts[path]);
  const index = new PathIndex(paths);
  return (from: string, specifier: string) => resolveModule(from, specifier, index, config);
}

describe('a relative import', () => {
  it.each([
    ['src/a.ts', './b.js', 'src/b.ts'],
    ['src/a.ts', './b', 'src/b.ts'],
    ['src/a.ts', './b.ts', 'src/b.ts'],
    ['src/a.ts', './page.js', 'src/page.tsx'],
    ['src/a.ts', './page.jsx', 'src/page.tsx'],
    ['src/a.ts', './types.js', 'src/types.d.ts'],
    ['src/a.ts', './old.js', 'src/old.jsx'],
    ['src/a.ts', './m.mjs', 'src/m.mts'],
    ['src/a.ts', './dm.mjs', 'src/dm.d.mts'],
    ['src/a.ts', './c.cjs', 'src/c.cts'],
    ['src/a.ts', './dc.cjs', 'src/dc.d.cts'],
    ['src/a.ts', './data', 'src/data.json'],
    ['src/a.ts', './plain', 'src/plain.js'],
    ['src/a.ts', './view', 'src/view.tsx'],
    ['src/a.ts', './mm', 'src/mm.mjs'],
    ['src/a.ts', './cc', 'src/cc.cjs'],
    ['src/a.ts', './xx', 'src/xx.jsx'],
    ['src/a.ts', './mt', 'src/mt.mts'],
    ['src/a.ts', './ct', 'src/ct.cts'],
    ['src/a.ts', './dd', 'src/dd.d.ts'],
    ['src/a.ts', './folder', 'src/folder/index.ts'],
    ['src/a.ts', './folder.js', 'src/folder.js/index.ts'],
    ['src/folder/x.ts', '.', 'src/folder/index.ts'],
    ['src/folder/deep/x.ts', '..', 'src/folder/index.ts'],
    ['src/a.ts', '..', 'index.ts'],
    ['src/a.ts', './b.js?raw', 'src/b.ts'],
    ['src/a.ts', './b.js#part', 'src/b.ts'],
    ['src/a.ts', '/src/b.js', 'src/b.ts'],
    ['src/a.ts', '../../b.js', undefined],
    ['src/a.ts', './none.js', undefined],
    ['src/a.ts', './m.js', undefined],
    ['src/a.ts', 'src/b.js', undefined],
    ['src/a.ts', '.hidden', undefined],
  ])('of %s to %s', (from, specifier, found) => {
    const names =
      'b.ts page.tsx types.d.ts old.jsx m.mts dm.d.mts c.cts dc.d.cts data.json plain.js view.tsx mm.mjs cc.cjs ' +
      'xx.jsx mt.mts ct.cts dd.d.ts folder/index.ts folder.js/index.ts';
    const resolve = project([...names.split(' ').map((name) => `src/${name}`), 'index.ts', '.hidden']);
    expect(resolve(from, specifier)).toBe(found);
  });

  it('means the file itself before any that a build would write there, and a file before a folder', () => {
    const resolve = project(['src/b.js', 'src/b.ts', 'src/c.ts', 'src/c/index.ts']);
    expect([resolve('src/a.ts', './b.js'), resolve('src/a.ts', './c')]).toEqual(['src/b.js', 'src/c.ts']);
  });
});

describe('the paths of a tsconfig', () => {
  it.each([
    ['@/b', 'src/b.ts'],
    ['exact', 'src/exact-one.ts'],
    ['exact/b', undefined],
    ['two/c', 'second/c.ts'],
    ['pre-b-post', 'src/b.ts'],
    ['pre-b', undefined],
    ['b-post', undefined],
    ['pre-post', undefined],
    ['base/d', 'web/base/d.ts'],
    ['@/none', undefined],
  ])('of %s', (specifier, found) => {
    const paths = {
      '@/*': ['../src/*'],
      exact: ['../src/exact-one.ts'],
      'two/*': ['../first/*', '../second/*'],
      'pre-*-post': ['../src/*'],
    };
    const resolve = project(['src/b.ts', 'src/exact-one.ts', 'src/.ts', 'second/c.ts', 'web/base/d.ts'], {
      'web/tsconfig.json': { compilerOptions: { baseUrl: '.', paths } },
    });
    expect(resolve('web/a.ts', specifier)).toBe(found);
  });

  it('hold below its folder alone, the nearest first', () => {
    const resolve = project(['one/b.ts', 'two/b.ts', 'webs/b.ts'], {
      'tsconfig.json': { compilerOptions: { paths: { '@/*': ['one/*'] } } },
      'web/tsconfig.json': { compilerOptions: { paths: { '@/*': ['../two/*'] } } },
    });
    expect(resolve('web/a.ts', '@/b')).toBe('two/b.ts');
    expect(resolve('webs/a.ts', '@/b')).toBe('one/b.ts');
  });

  it('begin at its folder without a base, from which no other import is resolved', () => {
    const resolve = project(['web/src/b.ts'], {
      'web/tsconfig.json': { compilerOptions: { paths: { '@/*': ['src/*'] } } },
    });
    expect([resolve('web/a.ts', '@/b'), resolve('web/a.ts', 'src/b')]).toEqual(['web/src/b.ts', undefined]);
  });

  it('takes what stands for the star as it is', () => {
    const resolve = project(['src/$&.ts'], { 'tsconfig.json': { compilerOptions: { paths: { '@/*': ['src/*'] } } } });
    expect(resolve('a.ts', '@/$&')).toBe('src/$&.ts');
  });

  it('matches a pattern that is as long as the import without its star', () => {
    const resolve = project(['src/ab.ts'], {
      'tsconfig.json': { compilerOptions: { paths: { 'ab*ba': ['src/ab.ts'] } } },
    });
    expect([resolve('a.ts', 'abba'), resolve('a.ts', 'aba')]).toEqual(['src/ab.ts', undefined]);
  });
});

describe('a package of the project', () => {
  const exports = {
    '.': { types: './dist/index.d.ts', import: { default: './dist/index.js' } },
    './tools/*': './dist/tools/*.js',
    './other/*': ['./lib/other/*.js', './src/else/*.ts'],
    './none': null,
  };
  const paths = ['p/src/index.ts', 'p/src/tools/a.ts', 'p/src/else/b.ts', 'p/src/deep.ts', 'p/plain.ts'];

  it.each([
    ['town', 'p/src/index.ts'],
    ['town/tools/a', 'p/src/tools/a.ts'],
    ['town/other/b', 'p/src/else/b.ts'],
    ['town/deep', 'p/src/deep.ts'],
    ['town/plain', 'p/plain.ts'],
    ['town/none', undefined],
    ['towns', undefined],
    ['towns/deep', undefined],
    ['other', undefined],
  ])('is imported as %s', (specifier, found) => {
    expect(project(paths, { 'p/package.json': { name: 'town', exports } })('a.ts', specifier)).toBe(found);
  });

  it('has one export without a path, with or without conditions', () => {
    const text = project(paths, { 'p/package.json': { name: 'town', exports: './plain.ts' } });
    const conditions = project(paths, { 'p/package.json': { name: 'town', exports: { import: './plain.ts' } } });
    expect([text('a.ts', 'town'), conditions('a.ts', 'town')]).toEqual(['p/plain.ts', 'p/plain.ts']);
  });

  it('begins in its main file without exports, for its name alone', () => {
    const resolve = project(['p/src/start.ts', 'p/index.ts'], {
      'p/package.json': { name: 'town', main: './build/start.js' },
    });
    expect([resolve('a.ts', 'town'), resolve('a.ts', 'town/x')]).toEqual(['p/src/start.ts', undefined]);
    const bare = project(['p/src/start.ts', 'p/index.ts'], { 'p/package.json': { name: 'town' } });
    expect(bare('a.ts', 'town')).toBe('p/index.ts');
  });

  it('without a name is imported by none', () => {
    expect(project(['p/x.ts'], { 'p/package.json': {} })('a.ts', '/x')).toBeUndefined();
    expect(project(['x.ts'], { 'p/package.json': {} })('a.ts', 'x')).toBeUndefined();
  });

  it('names its own files with a number sign', () => {
    const imports = { '#x': { node: './src/x.js', default: './src/y.js' }, '#deep/*': './src/deep/*.js' };
    const resolve = project(['p/src/x.ts', 'p/src/deep/a.ts'], {
      'p/package.json': { imports },
      'package.json': { imports: { '#x': './no.ts' } },
    });
    expect(resolve('p/a.ts', '#x')).toBe('p/src/x.ts');
    expect(resolve('p/a.ts', '#deep/a')).toBe('p/src/deep/a.ts');
    expect(resolve('p/a.ts', '#none')).toBeUndefined();
    expect(resolve('pp/a.ts', '#x')).toBeUndefined();
  });

  it('may have a tsconfig name what its imports do not', () => {
    const resolve = project(['src/x.ts'], {
      'package.json': { imports: {} },
      'tsconfig.json': { compilerOptions: { paths: { '#x': ['src/x.ts'] } } },
    });
    expect(resolve('a.ts', '#x')).toBe('src/x.ts');
  });

  it.each([
    ['./dist/a.js', 'p/src/a.ts'],
    ['dist/a.js', 'p/src/a.ts'],
    ['./lib/esm/a.js', 'p/src/a.ts'],
    ['./build/types/a.d.ts', 'p/src/a.ts'],
    ['./out/b.d.mts', 'p/src/b.mts'],
    ['./esm/c.js', 'p/c.ts'],
    ['./cjs/a.js', 'p/src/a.ts'],
    ['./dist/src/a.js', 'p/src/a.ts'],
    ['./other/a.js', undefined],
    ['./x/dist/a.js', undefined],
  ])('is built to %s', (main, found) => {
    const resolve = project(['p/src/a.ts', 'p/src/b.mts', 'p/c.ts'], { 'p/package.json': { name: 'town', main } });
    expect(resolve('z.ts', 'town')).toBe(found);
  });

  it('means a built file that is there', () => {
    const resolve = project(['p/dist/a.js', 'p/src/a.ts'], { 'p/package.json': { name: 'town', main: 'dist/a.js' } });
    expect(resolve('z.ts', 'town')).toBe('p/dist/a.js');
  });

  it('has conditions up to eight deep', () => {
    const nested = (depth: number): unknown => (depth === 0 ? './x.ts' : { default: nested(depth - 1) });
    const at = (depth: number) =>
      project(['p/x.ts'], { 'p/package.json': { name: 'town', exports: { '.': nested(depth) } } })('a.ts', 'town');
    expect([at(8), at(9)]).toEqual(['p/x.ts', undefined]);
  });
});
