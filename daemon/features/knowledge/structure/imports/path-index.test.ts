import { describe, expect, it } from 'vitest';
import { foldersAround, getFolder, joinPath, nearest, PathIndex } from './path-index.js';

describe('PathIndex', () => {
  const index = new PathIndex(['a.ts', 'src/a.ts', 'src/b.ts', 'lib/src/a.ts', 'lib/xsrc/a.ts', 'src/deep/c.ts']);

  it('knows which paths exist', () => {
    expect([index.has('src/a.ts'), index.has('src/c.ts')]).toEqual([true, false]);
  });

  it('returns the first path that exists', () => {
    expect(index.first(['no.ts', 'src/b.ts', 'a.ts'])).toBe('src/b.ts');
    expect(index.first(['no.ts'])).toBeUndefined();
  });

  it('returns the files of a folder without those of its folders', () => {
    expect([index.in('src'), index.in(''), index.in('no')]).toEqual([['src/a.ts', 'src/b.ts'], ['a.ts'], []]);
  });

  it('finds paths by their end, whole names only', () => {
    expect(index.endingWith('src/a.ts')).toEqual(['src/a.ts', 'lib/src/a.ts']);
    expect(index.endingWith('a.ts')).toEqual(['a.ts', 'src/a.ts', 'lib/src/a.ts', 'lib/xsrc/a.ts']);
    expect(index.endingWith('.ts')).toEqual([]);
  });

  it('finds folders by their end, whole names only', () => {
    expect(index.foldersEndingWith('src')).toEqual(['src', 'lib/src']);
    expect(index.foldersEndingWith('src/deep')).toEqual(['src/deep']);
  });
});

it.each([
  ['a/b.ts', 'a'],
  ['a/b/c.ts', 'a/b'],
  ['a.ts', ''],
])('takes %s to be in the folder %s', (path, folder) => {
  expect(getFolder(path)).toBe(folder);
});

it.each([
  ['a/b', './c', 'a/b/c'],
  ['a/b', '../c', 'a/c'],
  ['a/b', '../../c', 'c'],
  ['a', '../../c', undefined],
  ['', 'a//b/./c', 'a/b/c'],
  ['a', '..', ''],
  ['', '..', undefined],
])('joins %s and %s', (folder, relative, joined) => {
  expect(joinPath(folder, relative)).toBe(joined);
});

it('lists the folders around a path, the nearest first and the root last', () => {
  expect(foldersAround('a/b/c.ts')).toEqual(['a/b', 'a', '']);
  expect(foldersAround('c.ts')).toEqual(['']);
});

describe('nearest', () => {
  it.each([
    [['x/a.h', 'lib/one/a.h'], 'lib/one/b.c', 'lib/one/a.h'],
    [['lib/a.h', 'lib/one/a.h'], 'lib/one/b.c', 'lib/one/a.h'],
    // Of equals the shortest, then the first by name.
    [['y/deep/a.h', 'xx/a.h'], 'b.c', 'xx/a.h'],
    [['y/a.h', 'x/a.h'], 'b.c', 'x/a.h'],
    [['x/a.h', 'y/a.h'], 'b.c', 'x/a.h'],
    // A file of the same name as a folder of the path shares nothing.
    [['z/a.h', 'b.c/a.h'], 'b.c', 'z/a.h'],
    [[], 'b.c', undefined],
  ])('of %j to %s', (paths, from, found) => {
    expect(nearest(paths, from)).toBe(found);
  });

  it('leaves the list as it was', () => {
    const paths = ['y/a.h', 'x/a.h'];
    nearest(paths, 'b.c');
    expect(paths).toEqual(['y/a.h', 'x/a.h']);
  });
});
