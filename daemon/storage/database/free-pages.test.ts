import type SQLite from 'better-sqlite3';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { FreePages } from './free-pages.js';
import type { StoreGrowth } from './store-growth.js';

const HOUR_MS = 3_600_000;
const CHECKPOINT = 'wal_checkpoint(TRUNCATE)';

/** The free pages of a store that holds only what the test says, and the commands that it was given. */
function open({ mode = 2, pages = 1_000, free = 0 } = {}) {
  const state = { mode, wanted: mode, pages, free, error: undefined as unknown, vacuumFails: false };
  const commands: string[] = [];
  const sqlite = {
    pragma: (text: string) => {
      if (text === 'auto_vacuum') return state.mode;
      if (text === 'page_count') return state.pages;
      commands.push(text);
      if (text === 'auto_vacuum = INCREMENTAL') state.wanted = 2;
      if (state.error !== undefined) throw state.error;
      const released = /^incremental_vacuum\((\d+)\)$/.exec(text)?.[1];
      state.free -= Number(released ?? 0);
      return undefined;
    },
    exec: (text: string) => {
      commands.push(text);
      if (state.vacuumFails) throw new RangeError('full');
      state.mode = state.wanted;
    },
  } as unknown as SQLite.Database;
  const growth = {
    get freePages() {
      return state.free;
    },
  } as StoreGrowth;
  const failures: unknown[] = [];
  const freePages = new FreePages(sqlite, growth, (error) => failures.push(error));
  onTestFinished(() => freePages.stop());
  return { freePages, state, commands, failures };
}

/** As `open`, once the store was prepared and its commands are forgotten. */
function openPrepared(state: Parameters<typeof open>[0]) {
  const opened = open(state);
  opened.freePages.prepare();
  opened.commands.length = 0;
  return opened;
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  return () => void vi.useRealTimers();
});

describe('a store that is opened', () => {
  it('keeps at most four megabytes of log, and is not rewritten when it can shrink', () => {
    const { freePages, commands } = open();
    freePages.prepare();
    expect(commands).toEqual([`journal_size_limit = ${4 * 1024 * 1024}`]);
  });

  it.each([
    [16_384, true],
    [16_385, false],
  ])('of an older version with %i pages is rewritten: %s', (pages, isRewritten) => {
    const { freePages, commands, state } = open({ mode: 0, pages, free: 300 });
    freePages.prepare();
    expect(commands.slice(1)).toEqual(isRewritten ? ['auto_vacuum = INCREMENTAL', 'VACUUM'] : []);
    freePages.look();
    vi.advanceTimersByTime(20);
    expect(state.free).toBe(isRewritten ? 256 : 300);
  });

  it('of an older version stays as it is when it cannot be rewritten', () => {
    const { freePages, state, failures } = open({ mode: 0, free: 300 });
    state.vacuumFails = true;
    freePages.prepare();
    freePages.look();
    vi.advanceTimersByTime(20);
    expect([state.free, failures]).toEqual([300, []]);
  });
});

describe('free pages', () => {
  it('are kept up to a megabyte', () => {
    const { freePages, commands } = openPrepared({ free: 256 });
    freePages.look();
    vi.advanceTimersByTime(HOUR_MS - 1);
    expect(commands).toEqual([]);
  });

  it('are returned a megabyte at a time, each 20 ms after the one before, and the file is cut at the end', () => {
    const { freePages, commands } = openPrepared({ free: 256 + 256 + 5 });
    freePages.look();
    vi.advanceTimersByTime(19);
    expect(commands).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(commands).toEqual(['incremental_vacuum(256)']);
    vi.advanceTimersByTime(20);
    expect(commands).toEqual(['incremental_vacuum(256)', 'incremental_vacuum(5)', CHECKPOINT]);
    vi.advanceTimersByTime(1_000);
    expect(commands).toHaveLength(3);
  });

  it('are returned once, however many commits there are meanwhile, and again after later ones', () => {
    const { freePages, commands, state } = openPrepared({ free: 257 });
    freePages.look();
    freePages.look();
    vi.advanceTimersByTime(100);
    expect(commands).toEqual(['incremental_vacuum(1)', CHECKPOINT]);
    state.free = 258;
    freePages.look();
    vi.advanceTimersByTime(100);
    expect(commands.slice(2)).toEqual(['incremental_vacuum(2)', CHECKPOINT]);
  });

  it('are not returned before the store was prepared, or once it is closed', () => {
    const { freePages, commands } = open({ free: 300 });
    freePages.look();
    vi.advanceTimersByTime(100);
    freePages.prepare();
    freePages.look();
    freePages.stop();
    freePages.look();
    vi.advanceTimersByTime(100);
    expect(commands).toEqual([`journal_size_limit = ${4 * 1024 * 1024}`]);
  });

  it('are not returned when the store is closed before any were free', () => {
    const { freePages, commands, state } = openPrepared({});
    freePages.stop();
    state.free = 300;
    freePages.look();
    vi.advanceTimersByTime(100);
    expect(commands).toEqual([]);
  });

  it('that cannot be returned are a failure of the store, unless the disk is full', () => {
    const { freePages, commands, state, failures } = openPrepared({ free: 300 });
    state.error = Object.assign(new Error('full'), { code: 'SQLITE_FULL' });
    freePages.look();
    vi.advanceTimersByTime(100);
    expect([commands, failures]).toEqual([['incremental_vacuum(44)'], []]);
    for (const error of [Object.assign(new Error('failed'), { code: 'SQLITE_IOERR' }), new Error('no code')]) {
      state.error = error;
      failures.length = 0;
      freePages.look();
      vi.advanceTimersByTime(100);
      expect(failures).toEqual([error]);
    }
  });
});

describe('the log', () => {
  it('is emptied an hour after the first commit, and an hour after the first one since', () => {
    const { freePages, commands } = openPrepared({});
    freePages.look();
    vi.advanceTimersByTime(HOUR_MS - 1);
    freePages.look();
    expect(commands).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(commands).toEqual([CHECKPOINT]);
    vi.advanceTimersByTime(HOUR_MS);
    expect(commands).toHaveLength(1);
    freePages.look();
    vi.advanceTimersByTime(HOUR_MS);
    expect(commands).toHaveLength(2);
  });

  it('that cannot be emptied is tried again after a later commit', () => {
    const { freePages, commands, state, failures } = openPrepared({});
    state.error = new Error('busy');
    for (const _ of [1, 2]) {
      freePages.look();
      vi.advanceTimersByTime(HOUR_MS);
    }
    expect([commands, failures]).toEqual([[CHECKPOINT, CHECKPOINT], []]);
  });

  it('is not emptied after the store is closed', () => {
    const { freePages, commands } = openPrepared({});
    freePages.look();
    freePages.stop();
    vi.advanceTimersByTime(HOUR_MS);
    expect(commands).toEqual([]);
  });
});
