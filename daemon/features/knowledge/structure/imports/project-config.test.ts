import { describe, expect, it } from 'vitest';
import { readConfig } from './project-config.js';

const read = (files: Record<string, string>) => readConfig(Object.keys(files), (path) => files[path]);

describe('tsconfig', () => {
  it('reads comments and trailing commas, and takes strings as they are', () => {
    const text = `{
      // of the line "quoted"
      "compilerOptions": { /* "baseUrl": "no" **/
        "baseUrl": "a//b/*c*/", /**/
        "paths": { "@/*": ["src/*", "say \\"//\\"", 3], "none": [], "text": "src" , },
      },
    }`;
    expect(read({ 'web/tsconfig.base.json': text }).tsconfigs).toEqual([
      { folder: 'web', baseUrl: 'web/a/b/*c*', paths: [['@/*', ['src/*', 'say "//"']]] },
    ]);
  });

  it('says nothing when it is malformed or has neither a base nor paths', () => {
    const files = { 'a/tsconfig.json': '{"compilerOptions": {"baseUrl": "."', 'b/jsconfig.json': '{}' };
    expect(read({ ...files, 'c/tsconfig.json': '{"compilerOptions": {"baseUrl": 1, "paths": []}}' }).tsconfigs).toEqual(
      [],
    );
  });

  it('has the deepest folder first', () => {
    const text = '{"compilerOptions": {"baseUrl": "."}}';
    const files = {
      'tsconfig.json': text,
      'a/b/jsconfig.json': text,
      'a/tsconfig.app.json': text,
      'nottsconfig.json': text,
    };
    expect(read(files).tsconfigs.map(({ folder }) => folder)).toEqual(['a/b', 'a', '']);
  });

  it('reads a comment that does not end in a time that grows with the text', () => {
    const started = performance.now();
    read({ 'tsconfig.json': `{${'/*/'.repeat(200_000)}` });
    expect(performance.now() - started).toBeLessThan(2000);
  });
});

it('reads the name and the entry of a package, its source before its built file', () => {
  const files = {
    'package.json':
      '{"name": "town", "main": "dist/a.js", "source": "src/a.ts", "exports": "./x.js", "imports": {"#y": "./y.js"}}',
    'packages/deep/package.json': '{"name": 3, "main": "index.js"}',
    'p/package.json': '[1]',
  };
  expect(read(files).packages).toEqual([
    { folder: 'packages/deep', name: '', exports: undefined, imports: undefined, main: 'index.js' },
    { folder: 'p', name: '', exports: undefined, imports: undefined, main: undefined },
    { folder: '', name: 'town', exports: './x.js', imports: { '#y': './y.js' }, main: 'src/a.ts' },
  ]);
});

it('reads the names of Go modules, the longest first, and of Rust crates as code writes them', () => {
  const { goModules, crates } = read({
    'go.mod': '// module no\nmodule example.org/town // a town\n',
    'tools/go.mod': 'go 1.22\nmodule "example.org/town/tools"\n',
    'no/go.mod': 'go 1.22\n',
    'Cargo.toml':
      '[workspace]\nname = "no"\n[package]\nversion = "1"\n  name = "town-hall-1"\n[dependencies]\nname = "no"\n',
    'deep/er/Cargo.toml': '[package]\nname = "deep"\n',
    'lib/Cargo.toml': '[package]\nedition = "2024"\n[lib]\nname = "no"\n',
  });
  expect(goModules).toEqual([
    { folder: 'tools', module: 'example.org/town/tools' },
    { folder: '', module: 'example.org/town' },
  ]);
  expect(crates).toEqual([
    { folder: 'deep/er', name: 'deep' },
    { folder: '', name: 'town_hall_1' },
  ]);
});

it('leaves out manifests that cannot be read', () => {
  expect(readConfig(['package.json', 'go.mod'], () => undefined)).toMatchObject({ packages: [], goModules: [] });
});

it.each([
  ['tsconfig.json', true],
  ['a/jsconfig.app-1.json', true],
  ['tsconfig.base.json', true],
  ['xtsconfig.json', false],
  ['rsconfig.json', false],
  ['tsconfig.json5', false],
  ['tsconfig.js', false],
])('takes %s for a manifest: %s', (path, is) => {
  expect(read({ [path]: '{"compilerOptions": {"baseUrl": "."}}' }).tsconfigs).toHaveLength(is ? 1 : 0);
});

it('reads at most two thousand manifests, and five hundred paths of one', () => {
  const many = Object.fromEntries(Array.from({ length: 2_001 }, (_, at) => [`p${at}/package.json`, '{}']));
  expect(read(many).packages).toHaveLength(2_000);
  const paths = Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`p${at}`, ['x']]));
  expect(read({ 'tsconfig.json': JSON.stringify({ compilerOptions: { paths } }) }).tsconfigs[0]?.paths).toHaveLength(
    500,
  );
});

it('keeps paths without a base, and a base without paths', () => {
  const of = (compilerOptions: object) => read({ 'a/tsconfig.json': JSON.stringify({ compilerOptions }) }).tsconfigs;
  expect(of({ paths: { x: ['y'] } })).toEqual([{ folder: 'a', baseUrl: undefined, paths: [['x', ['y']]] }]);
  expect(of({ baseUrl: '..' })).toEqual([{ folder: 'a', baseUrl: '', paths: [] }]);
  expect(of({ baseUrl: '../..' })).toEqual([]);
});

it.each([
  ['go.mod', 'module\t"a/b"\n', 'a/b'],
  ['go.mod', ' module a/b\n', undefined],
  ['go.mod', 'xmodule a/b\n', undefined],
  ['Cargo.toml', '[package]\nname="a-b-c"\n', 'a_b_c'],
  ['Cargo.toml', 'x[package]\nname = "a"\n', undefined],
  ['Cargo.toml', '[package]\nx-name = "a"\n', undefined],
  ['Cargo.toml', `[package]\nname = "${'a'.repeat(100)}"\n`, 'a'.repeat(100)],
  ['Cargo.toml', `[package]\nname = "${'a'.repeat(101)}"\n`, undefined],
])('reads the name in %s with %j', (path, text, name) => {
  const { goModules, crates } = read({ [path]: text });
  expect(goModules[0]?.module ?? crates[0]?.name).toBe(name);
});

it('has the packages and crates of the deepest folder first', () => {
  const { packages } = read({ 'package.json': '{}', 'a/b/package.json': '{}', 'a/package.json': '{}' });
  expect(packages.map(({ folder }) => folder)).toEqual(['a/b', 'a', '']);
});
