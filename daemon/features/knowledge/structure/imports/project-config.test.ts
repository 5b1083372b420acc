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
