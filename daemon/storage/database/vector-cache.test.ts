import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { openSqlite } from './sqlite.js';
import { VectorCacheFile } from './vector-cache.js';

function open(path = join(temporaryFolder(), 'e.db')) {
  const cache = new VectorCacheFile(path);
  onTestFinished(() => cache.close());
  return { cache, path };
}

describe('the cache of vectors', () => {
  it('has each vector by its key, with all of its numbers', () => {
    const { cache } = open();
    const shared = Float32Array.from([9, 1, -2.5, 9]);
    cache.put([
      ['a', shared.subarray(1, 3)],
      ['b', Float32Array.from([3])],
    ]);
    expect([cache.find('a'), cache.find('b'), cache.find('c')]).toEqual([
      Float32Array.from([1, -2.5]),
      Float32Array.from([3]),
      undefined,
    ]);
    cache.put([['a', Float32Array.from([4, 5, 6])]]);
    expect(cache.find('a')).toEqual(Float32Array.from([4, 5, 6]));
  });

  it('stores all vectors of one call or none', () => {
    const { cache } = open();
    const vector = Float32Array.from([1]);
    expect(() =>
      cache.put([
        ['a', vector],
        [null as unknown as string, vector],
      ]),
    ).toThrow('NOT NULL');
    expect(cache.find('a')).toBeUndefined();
  });

  it('keeps them for the next process, in a file with a log', () => {
    const { cache, path } = open();
    cache.put([['a', Float32Array.from([1])]]);
    expect(existsSync(`${path}-wal`)).toBe(true);
    cache.close();
    expect(() => cache.find('a')).toThrow('not open');
    expect(open(path).cache.find('a')).toEqual(Float32Array.from([1]));
  });

  it('does not return a vector that has lost some of its bytes', () => {
    const { cache, path } = open();
    cache.close();
    const database = openSqlite(path);
    database.exec("INSERT INTO vectors VALUES ('short', 2, x'00000000'), ('whole', 1, x'00000000')");
    database.close();
    const { cache: again } = open(path);
    expect([again.find('short'), again.find('whole')]).toEqual([undefined, Float32Array.from([0])]);
  });

  it.each<[string, (path: string) => void]>([
    ['no database', (path) => writeFileSync(path, 'not a database at all, however long one looks at it'.repeat(9))],
    ['of another version', (path) => void openSqlite(path).exec('PRAGMA user_version = 2').close()],
    ['beside a log that is no file of its own', (path) => symlinkSync('elsewhere', `${path}-wal`)],
  ])('begins anew for a file that is %s', (_what, prepare) => {
    const folder = temporaryFolder({ elsewhere: 'mine' });
    const path = join(folder, 'e.db');
    prepare(path);
    const { cache } = open(path);
    expect(cache.find('a')).toBeUndefined();
    cache.put([['a', Float32Array.from([1])]]);
    expect(cache.find('a')).toEqual(Float32Array.from([1]));
    expect(readFileSync(join(folder, 'elsewhere'), 'utf8')).toBe('mine');
  });
});
