import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { Database } from './database.js';
import { findDamage } from './store-check.js';

const MIB = 1024 * 1024;

/** A store of so many pages, with the damage that a look through it finds. */
function store(pages: number, pageBytes: number, damage: string | undefined): Database {
  const values: Record<string, object> = {
    'PRAGMA page_count': { page_count: pages },
    'PRAGMA page_size': { page_size: pageBytes },
  };
  return { sql: (text: string) => ({ get: () => values[text] }), quickCheck: () => damage } as unknown as Database;
}

describe('the damage of a running store', () => {
  it('is none in one that is whole', () => {
    const database = new Database(join(temporaryFolder(), 'mesh.db'));
    onTestFinished(() => database.close());
    expect(findDamage(database)).toBeUndefined();
  });

  it('is told in one line, with what to do', () => {
    expect(findDamage(store(1, 4096, 'row 3 missing\nrow 4 missing'))).toBe(
      'the database is damaged (row 3 missing): stop the daemon and restore a backup with `meshd restore`',
    );
  });

  it('is looked for in stores of up to 64 MiB', () => {
    const isTold = (pages: number) => findDamage(store(pages, 4096, 'damaged')) !== undefined;
    expect([isTold((64 * MIB) / 4096), isTold((64 * MIB) / 4096 + 1)]).toEqual([true, false]);
  });
});
