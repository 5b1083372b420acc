import { expect, it } from 'vitest';
import { PathIndex } from './path-index.js';
import { readConfig } from './project-config.js';
import { resolveRust } from './rust-modules.js';

const MANIFESTS: Record<string, string> = {
  'Cargo.toml': '[package]\nname = "town"\n',
  'crates/hall/Cargo.toml': '[package]\nname = "town-hall"\n',
};
const PATHS = [
  'src/lib.rs',
  'src/a.rs',
  'src/a/b.rs',
  'src/a/c/mod.rs',
  'src/a/c/d.rs',
  'src/e/mod.rs',
  'src/e/f.rs',
  'crates/hall/src/main.rs',
  'crates/hall/src/g.rs',
];

it.each([
  ['src/a.rs', 'crate', 'src/lib.rs'],
  ['src/a.rs', 'crate::a', 'src/a.rs'],
  ['src/lib.rs', 'crate::a::b', 'src/a/b.rs'],
  ['src/lib.rs', 'crate::a::b::Name', 'src/a/b.rs'],
  ['src/lib.rs', 'crate::a::c', 'src/a/c/mod.rs'],
  ['src/lib.rs', 'crate::e', 'src/e/mod.rs'],
  ['src/a.rs', 'crate::Name', 'src/lib.rs'],
  ['src/lib.rs', 'self::a', 'src/a.rs'],
  ['src/a.rs', 'self::b', 'src/a/b.rs'],
  ['src/e/mod.rs', 'self::f', 'src/e/f.rs'],
  ['src/a.rs', 'self::none', undefined],
  ['src/a/b.rs', 'super', 'src/a.rs'],
  ['src/a/b.rs', 'super::c', 'src/a/c/mod.rs'],
  ['src/a/c/d.rs', 'super::super::b', 'src/a/b.rs'],
  ['src/a/c/d.rs', 'super::super', 'src/a.rs'],
  ['src/a/c/d.rs', 'super::super::super::e', 'src/e/mod.rs'],
  ['src/a/c/d.rs', 'super::Name', 'src/a/c/mod.rs'],
  ['src/a/b.rs', 'super::Name', 'src/a.rs'],
  ['src/a.rs', 'super::Name', 'src/lib.rs'],
  ['crates/hall/src/g.rs', 'super::Name', 'crates/hall/src/main.rs'],
  ['crates/hall/src/g.rs', 'crate::g', 'crates/hall/src/g.rs'],
  ['crates/hall/src/g.rs', 'crate::Name', 'crates/hall/src/main.rs'],
  ['src/a.rs', 'town_hall::g', 'crates/hall/src/g.rs'],
  ['src/a.rs', 'town_hall::Name', 'crates/hall/src/main.rs'],
  ['crates/hall/src/g.rs', 'town::a::b', 'src/a/b.rs'],
  ['src/lib.rs', 'a::b', 'src/a/b.rs'],
  ['src/a.rs', 'b', 'src/a/b.rs'],
  ['src/a.rs', 'e::f', 'src/e/f.rs'],
  ['src/a.rs', 'std::fmt', undefined],
  ['src/a.rs', '', undefined],
])('in %s of %s', (from, specifier, found) => {
  const config = readConfig(Object.keys(MANIFESTS), (path) => MANIFESTS[path]);
  expect(resolveRust(from, specifier, new PathIndex(PATHS), config)).toBe(found);
});

it('takes the sources of a project without a manifest for its own', () => {
  const config = readConfig([], () => undefined);
  const resolve = (from: string, specifier: string) =>
    resolveRust(
      from,
      specifier,
      new PathIndex(['src/main.rs', 'src/a.rs', 'src/main/b.rs', 'build.rs', 'c.rs']),
      config,
    );
  expect(resolve('src/a.rs', 'crate::Name')).toBe('src/main.rs');
  expect(resolve('src/main.rs', 'a')).toBe('src/a.rs');
  expect(resolve('build.rs', 'c')).toBe('c.rs');
});
