import { describe, expect, it } from 'vitest';
import { findPatternMistake, fitsNamePattern, isInOrBelow } from './path-pattern.js';

describe('a pattern of files', () => {
  it.each(['.env', 'config/*.json', 'a/?.txt', 'a*b', '**a', '...', 'a/.mesh', '.mesh2', '.gitignore', 'ab:/c'])(
    'accepts %s',
    (pattern) => {
      expect(findPatternMistake(pattern)).toBeUndefined();
    },
  );

  it.each([
    ['/etc/passwd', 'must be a path relative to the project, with "/".'],
    ['a\\b', 'must be a path relative to the project, with "/".'],
    ['C:x', 'must be a path relative to the project, with "/".'],
    ['z:/x', 'must be a path relative to the project, with "/".'],
    ['', 'must not have empty parts, "." or "..".'],
    ['a//b', 'must not have empty parts, "." or "..".'],
    ['a/', 'must not have empty parts, "." or "..".'],
    ['./a', 'must not have empty parts, "." or "..".'],
    ['a/../b', 'must not have empty parts, "." or "..".'],
    ['a/**/b', 'must name each folder: "**" is not supported.'],
    ['.git/config', 'must not name what git or meshd keeps for itself.'],
    ['a/.GIT/config', 'must not name what git or meshd keeps for itself.'],
    ['.mesh/team', 'must not name what git or meshd keeps for itself.'],
    ['.Me\u017fh/team', 'must not name what git or meshd keeps for itself.'],
  ])('rejects %j and says why', (pattern, reason) => {
    expect(findPatternMistake(pattern)).toBe(`${JSON.stringify(pattern)} ${reason}`);
  });

  it('shows the first 80 characters of one that is rejected', () => {
    expect(findPatternMistake(`/${'a'.repeat(100)}`)).toMatch(/^"\/a{79}" must/);
  });
});

describe('a part of a pattern', () => {
  it.each([
    ['', ''],
    ['', '*'],
    ['a.json', 'a.json'],
    ['a.json', '*.json'],
    ['.json', '*.json'],
    ['a.json', '?.json'],
    ['abcabd', '*abd'],
    ['aaab', 'a*ab'],
    ['abc', 'a*'],
    ['abc', 'abc*'],
    ['abc', 'abc**'],
    ['axbxc', 'a*b*c'],
    ['mississippi', 'm*iss*pi'],
    ['a*b', 'a?b'],
  ])('%j fits %j', (name, part) => {
    expect(fitsNamePattern(name, part)).toBe(true);
  });

  it.each([
    ['a', ''],
    ['', 'a'],
    ['', '?'],
    ['a.json', '*.js'],
    ['a.json', 'b.json'],
    ['.json', '?.json'],
    ['ab', '?'],
    ['a', 'a?'],
    ['abc', 'a*d'],
    ['abc', 'a*bc?'],
    ['axb', 'b*b'],
    ['mississippi', 'm*issx*pi'],
  ])('%j does not fit %j', (name, part) => {
    expect(fitsNamePattern(name, part)).toBe(false);
  });

  it('with many stars takes no more time for a long name', () => {
    expect(fitsNamePattern('a'.repeat(2_000), `${'*a'.repeat(50)}b`)).toBe(false);
  });
});

it('a path is in a folder by whole names only', () => {
  const given = ['docs', 'src/a'];
  expect(['docs', 'docs/x/y', 'src/a', 'src/a/b'].map((path) => isInOrBelow(path, given))).toEqual(Array(4).fill(true));
  expect(['docs2', 'src', 'src/ab', 'x/docs'].map((path) => isInOrBelow(path, given))).toEqual(Array(4).fill(false));
  expect(isInOrBelow('docs', [])).toBe(false);
});
