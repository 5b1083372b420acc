import type SQLite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { StoreGrowth } from './store-growth.js';

/** A store of pages of a hundred bytes, which a test adds and frees. */
function open() {
  const pages = { count: 10, free: 2 };
  const sqlite = {
    pragma: (text: string, options: object) =>
      text === 'page_size' && 'simple' in options && options.simple === true ? 100 : undefined,
    prepare: (text: string) => ({
      pluck: () => ({
        get: () => ({ 'PRAGMA page_count': pages.count, 'PRAGMA freelist_count': pages.free })[text],
      }),
    }),
  } as unknown as SQLite.Database;
  return { growth: new StoreGrowth(sqlite), pages };
}

describe('the growth of a store', () => {
  it('is that of its pages in use', () => {
    const { growth, pages } = open();
    expect([growth.usedBytes, growth.freePages]).toEqual([800, 2]);
    pages.free = 3;
    expect([growth.usedBytes, growth.freePages]).toEqual([700, 3]);
  });

  it('counts for the user who caused it, and for nobody when it was the operator', () => {
    const { growth, pages } = open();
    const batch = growth.start();
    const grow = (uid: number | undefined, by: number) =>
      batch.measure(uid, () => {
        pages.count += by;
        return by;
      });
    expect([grow(1, 3), grow(undefined, 5), grow(2, 1), grow(1, -1)]).toEqual([3, 5, 1, -1]);
    batch.settle();
    expect([...growth.unrecorded]).toEqual([
      [1, 200],
      [2, 100],
    ]);
  });

  it('of the commit itself is divided among the changes, rounded up', () => {
    const { growth, pages } = open();
    const batch = growth.start();
    for (const uid of [1, 1, 2, undefined, undefined, undefined, undefined]) batch.measure(uid, () => undefined);
    pages.count += 1;
    batch.settle();
    expect([...growth.unrecorded]).toEqual([
      [1, 29],
      [2, 15],
    ]);
  });

  it('is added to what is not recorded yet, and left out where it is none', () => {
    const { growth, pages } = open();
    for (const by of [3, 0, -1]) {
      const batch = growth.start();
      batch.measure(1, () => {
        pages.count += by;
      });
      batch.measure(2, () => undefined);
      batch.settle();
    }
    expect([...growth.unrecorded]).toEqual([[1, 200]]);
  });

  it('is recorded by nobody at first', () => {
    const { growth } = open();
    growth.unrecorded.set(1, 100);
    growth.record();
    expect(growth.unrecorded.get(1)).toBe(100);
  });
});
