import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { PassageDatabase } from '../../../storage/database/passage-database.js';
import type { Listing } from '../../../storage/followed-files.js';
import type { Commit } from '../../../storage/git/git-log.js';
import type { ListedFile } from '../../../storage/project-files.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import { plantedSecrets } from '../../../testing/planted-secrets.js';
import { temporaryFolder } from '../../../testing/temporary-folder.js';
import { Indexing } from './indexing.js';

/** An index over files in memory, whose listing, time and log the test sets. */
function open() {
  const database = PassageDatabase.open(join(temporaryFolder(), 'k.db'));
  onTestFinished(() => database.close());
  const clock = new FakeClock(1_000_000);
  const files = new Map<string, { text: string; mtimeMs: number; tracked: boolean; size?: number }>();
  const reads: string[] = [];
  const state = {
    paths: undefined as readonly string[] | undefined,
    list: {} as Partial<Listing['list']>,
    head: undefined as string | undefined,
    commits: [] as readonly Commit[] | undefined,
    asked: 0,
    distrusted: 0,
  };
  const listed = (path: string): ListedFile[] => {
    const file = files.get(path);
    return file ? [{ path, size: file.size ?? file.text.length, mtimeMs: file.mtimeMs, tracked: file.tracked }] : [];
  };
  const indexing = new Indexing(
    {
      read: (path) => {
        reads.push(path);
        const file = files.get(path);
        const bytes = Buffer.from(file?.text ?? '');
        return file && { bytes, size: file.size ?? bytes.length, mtimeMs: file.mtimeMs };
      },
    },
    {
      *follow() {
        yield;
      },
      next: () => ({
        paths: state.paths,
        list: {
          ...{ tracking: 'git', leftOut: 0, skipped: new Map(), submodules: [] },
          files: (state.paths ?? [...files.keys()]).flatMap(listed),
          ...state.list,
        },
      }),
      distrust: () => {
        state.distrusted += 1;
      },
      stillThere: (paths) => paths.flatMap(listed),
    },
    {
      head: () => state.head,
      markOf: (head) => `mark ${head}`,
      commits: () => {
        state.asked += 1;
        return state.commits as Commit[] | undefined;
      },
    },
    database,
    clock,
  );
  const put = (
    path: string,
    text: string,
    { mtimeMs = 1, tracked = true, size = undefined as number | undefined } = {},
  ) => files.set(path, { text, mtimeMs, tracked, ...(size === undefined ? {} : { size }) });
  const scan = () => {
    let pauses = 0;
    for (const _ of indexing.scan()) pauses += 1;
    return pauses;
  };
  const takeReads = () => reads.splice(0);
  return { database, clock, files, state, indexing, put, scan, takeReads };
}

describe('the status', () => {
  it('counts what was read', () => {
    const { indexing, put, scan } = open();
    expect(indexing.status).toEqual({
      ...{
        state: 'idle',
        files_done: 0,
        files_total: 0,
        passages: 0,
        bytes: 0,
        left_out: 0,
        not_text: 0,
        commit: null,
      },
    });
    put('a.md', '# A\n');
    put('b.bin', '\u0000');
    scan();
    expect(indexing.status).toEqual({
      ...{
        state: 'ready',
        files_done: 1,
        files_total: 1,
        passages: 1,
        bytes: 5,
        left_out: 0,
        not_text: 1,
        commit: null,
      },
    });
  });

  it('is `indexing` during the first scan, and names the commit and what is pending', () => {
    const { indexing, put, state } = open();
    put('a.md', 'x');
    put('b/b.md', 'x');
    state.head = 'c1';
    const scan = indexing.scan();
    scan.next();
    expect(indexing.status.state).toBe('indexing');
    scan.next();
    expect(indexing.status).toMatchObject({ state: 'indexing', files_done: 0, files_total: 2, commit: 'c1' });
    expect(indexing.pending).toBe(2);
    scan.next();
    expect(indexing.pending).toBe(0);
    for (const _ of scan) expect(indexing.pending).toBe(0);
    expect(indexing.status.state).toBe('ready');
    const second = indexing.scan();
    second.next();
    expect(indexing.status.state).toBe('ready');
  });

  it('says what was left out', () => {
    const { indexing, put, scan, state } = open();
    put('a.md', 'x');
    const message = (list: Partial<Listing['list']>) => {
      state.list = list;
      scan();
      return indexing.status.message;
    };
    expect(message({ leftOut: 3 })).toBe('3 files were left out: the index takes at most 1,000,000.');
    expect(message({ submodules: ['a', 'b'] })).toBe('Submodules are not searched: a, b.');
    expect(message({ submodules: ['a', 'b', 'c', 'd', 'e'] })).toBe('Submodules are not searched: a, b, c, d, e.');
    expect(message({ submodules: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] })).toBe(
      'Submodules are not searched: a, b, c, d, e and 2 more.',
    );
    expect(indexing.submodules).toHaveLength(7);
    expect(message({})).toBeUndefined();
  });

  it('counts what was left out, of all and of what Git tracks', () => {
    const { indexing, scan, state } = open();
    state.list = {
      skipped: new Map([
        ['a', true],
        ['b', false],
        ['c', true],
      ]),
    };
    scan();
    expect(indexing.leftOut).toEqual({ all: 3, tracked: 2 });
    expect(indexing.status.left_out).toBe(3);
    state.paths = ['a', 'b', 'd'];
    state.list = {
      skipped: new Map([
        ['b', true],
        ['d', false],
      ]),
    };
    scan();
    expect(indexing.leftOut).toEqual({ all: 3, tracked: 2 });
    state.paths = undefined;
    state.list = {};
    scan();
    expect(indexing.leftOut).toEqual({ all: 0, tracked: 0 });
  });

  it.each([
    ['SQLITE_FULL', 'The index cannot be written: check the space and permissions of `.mesh/state`.'],
    [undefined, 'The index met a fault of its own: see the log.'],
  ])('is `failed` when an error %s comes up, and ready again afterwards', (code, message) => {
    const { indexing, put, scan, database, state } = open();
    put('a.md', 'x');
    const together = vi.spyOn(database, 'together').mockImplementationOnce(() => {
      throw Object.assign(new Error('disk full'), { code });
    });
    onTestFinished(() => together.mockRestore());
    expect(scan).toThrow('disk full');
    expect(indexing.status).toMatchObject({ state: 'failed', message });
    expect([state.distrusted, indexing.pending]).toEqual([1, 0]);
    scan();
    expect(indexing.status).toMatchObject({ state: 'ready', files_done: 1 });
    expect(indexing.status).not.toHaveProperty('message');
  });
});

describe('a scan', () => {
  it('reads the files that Git tracks first, then those near the root', () => {
    const { put, scan, takeReads } = open();
    put('own.md', 'x', { tracked: false });
    put('a/b/c.md', 'x');
    put('z/1/2/3/4/5/6/7/8.md', 'x');
    put('y/1/2/3/4/5/6/7.md', 'x');
    put('b.md', 'x');
    put('a.md', 'x');
    scan();
    expect(takeReads()).toEqual(['b.md', 'a.md', 'a/b/c.md', 'z/1/2/3/4/5/6/7/8.md', 'y/1/2/3/4/5/6/7.md', 'own.md']);
  });

  it('reads only what may have changed', () => {
    const { put, scan, takeReads, clock, indexing } = open();
    const now = clock.now();
    put('a.md', 'x');
    put('fresh.md', 'x', { mtimeMs: now - 2_000 });
    put('settled.md', 'x', { mtimeMs: now - 2_001 });
    scan();
    takeReads();
    expect(indexing.takeChange()).toBe(true);
    scan();
    expect(takeReads()).toEqual(['fresh.md']);
    expect(indexing.takeChange()).toBe(false);
    put('a.md', 'y', { mtimeMs: 1 });
    scan();
    expect(takeReads()).toEqual(['fresh.md']);
    put('a.md', 'y', { mtimeMs: 2 });
    scan();
    expect(takeReads().sort()).toEqual(['a.md', 'fresh.md']);
    expect([indexing.takeChange(), indexing.takeChange()]).toEqual([true, false]);
    put('a.md', 'yy', { mtimeMs: 2 });
    put('settled.md', 'x', { mtimeMs: now - 2_001, tracked: false });
    scan();
    expect(takeReads().sort()).toEqual(['a.md', 'fresh.md', 'settled.md']);
    expect(indexing.takeChange()).toBe(true);
  });

  it('keeps what it has of a file whose content is the same, and its new time', () => {
    const { put, scan, takeReads, database, indexing } = open();
    put('a.md', 'x');
    scan();
    indexing.takeChange();
    const before = database.file('a.md');
    put('a.md', 'x', { mtimeMs: 5 });
    scan();
    expect(database.file('a.md')).toEqual({ ...before, mtimeMs: 5 });
    expect(indexing.takeChange()).toBe(false);
    takeReads();
    scan();
    expect(takeReads()).toEqual([]);
  });

  it('removes what is gone', () => {
    const { put, scan, files, indexing, database } = open();
    put('a.md', '# A\n');
    put('b.md', '# B\n');
    scan();
    indexing.takeChange();
    files.delete('a.md');
    scan();
    expect(database.paths()).toEqual(['b.md']);
    expect(indexing.status).toMatchObject({ files_done: 1, files_total: 1, passages: 1, bytes: 4 });
    expect(indexing.takeChange()).toBe(true);
  });

  it('of named paths looks at those alone', () => {
    const { put, scan, files, state, takeReads, indexing, database } = open();
    for (const path of ['a.md', 'b.md', 'c.md']) put(path, 'x');
    scan();
    takeReads();
    state.paths = ['a.md', 'b.md', 'd.md', 'gone.md'];
    put('d.md', 'x');
    files.delete('b.md');
    const scanning = indexing.scan();
    scanning.next();
    scanning.next();
    expect(indexing.status).toMatchObject({ files_done: 1, files_total: 3 });
    for (const _ of scanning) expect(indexing.status.files_total).toBe(3);
    expect(takeReads()).toEqual(['a.md', 'd.md']);
    expect(database.paths()).toEqual(['a.md', 'c.md', 'd.md']);
    expect(indexing.status).toMatchObject({ files_done: 3, files_total: 3, passages: 3, bytes: 3 });
  });

  it('forgets a file that can no longer be read', () => {
    const { put, scan, indexing, database, state, files } = open();
    put('a.md', '# A\n');
    put('b.md', '# B\n');
    scan();
    indexing.takeChange();
    const listed = [
      { path: 'a.md', size: 9, mtimeMs: 9, tracked: true },
      { path: 'b.md', size: 4, mtimeMs: 1, tracked: true },
    ];
    files.delete('a.md');
    state.list = { files: listed };
    scan();
    expect(database.paths()).toEqual(['b.md']);
    expect(indexing.status).toMatchObject({ passages: 1, bytes: 4 });
    expect(indexing.takeChange()).toBe(true);
  });

  it('pauses after slices of 100 ms at first, and of 25 ms later', () => {
    const { put, clock, indexing, files } = open();
    for (let at = 0; at < 40; at += 1) put(`${String(at).padStart(2, '0')}.md`, 'x');
    const slices = () => {
      const done: number[] = [];
      const elapsed = vi.spyOn(clock, 'elapsed').mockImplementation(() => {
        clock.advance(5);
        return FakeClock.prototype.elapsed.call(clock);
      });
      for (const _ of indexing.scan()) done.push(indexing.status.files_done);
      elapsed.mockRestore();
      return done;
    };
    expect(slices()).toEqual([0, 0, 20, 40]);
    for (const [path, file] of files) files.set(path, { ...file, text: 'yy' });
    expect(slices().slice(0, 5)).toEqual([40, 0, 5, 10, 15]);
  });

  it('leaves files out when the index holds 2 GiB of text', () => {
    const { put, scan, indexing, state } = open();
    put('a.md', 'x', { size: 2 * 1024 ** 3 - 1 });
    put('b.md', 'x', { size: 1 });
    put('c.md', 'x');
    put('own.md', 'x', { tracked: false });
    scan();
    expect(indexing.status).toMatchObject({
      ...{ files_done: 4, left_out: 2, message: 'Some files were left out: the index takes at most 2 GiB of text.' },
    });
    expect(indexing.leftOut).toEqual({ all: 2, tracked: 1 });
    put('a.md', 'y', { size: 2 * 1024 ** 3 - 1, mtimeMs: 2 });
    scan();
    expect(indexing.leftOut).toEqual({ all: 2, tracked: 1 });
    state.paths = ['c.md'];
    put('c.md', 'x', { mtimeMs: 3 });
    scan();
    expect(indexing.leftOut.all).toBe(2);
  });

  it('holds the files that it knows while Git cannot be asked', () => {
    const { put, scan, state, database, indexing, takeReads, files } = open();
    put('a.md', 'x');
    put('own.md', 'x', { tracked: false });
    put('gone.md', 'x');
    scan();
    expect(indexing.tracking).toBe('git');
    takeReads();
    files.delete('gone.md');
    put('new.md', 'x');
    state.list = {
      tracking: 'unknown',
      files: ['own.md', 'new.md'].map((path) => ({ path, size: 1, mtimeMs: 1, tracked: true })),
    };
    scan();
    expect(indexing.tracking).toBe('unknown');
    expect(database.paths()).toEqual(['a.md', 'new.md', 'own.md']);
    expect(database.tracked.paths()).toEqual(['a.md']);
    expect(takeReads()).toEqual(['new.md']);
  });
});

describe('the passages of a file', () => {
  const passages = (path: string, text: string) => {
    const { put, scan, database } = open();
    put(path, text);
    scan();
    const rows = database.listPassages(path).map(({ startLine, endLine, title }) => `${startLine}-${endLine} ${title}`);
    const finds = (match: string) => database.search(match, 9).map(({ startLine }) => startLine);
    return { rows, finds };
  };
  const section = (name: string, text: string) => `# ${name}\n\n${text}\n\n\n\n`;

  it('are found by their text, the parts of their names, and their path', () => {
    const { rows, finds } = passages('src/myLamp.md', section('A', 'lampOn') + section('B', 'wick\r\nbulb'));
    expect(rows).toEqual(['1-6 A', '7-13 B']);
    expect([
      finds('lamp'),
      finds('names : on'),
      finds('text : wick'),
      finds('text : bulb'),
      finds('title : b'),
    ]).toEqual([...[[1, 7], [1], [7], [7], [7]]]);
    expect(finds('path : mylamp')).toHaveLength(2);
    expect(finds('path : my')).toHaveLength(2);
  });

  it('are none of blank lines, or of lines with a secret', () => {
    expect(passages('a.txt', '\n  \n').rows).toEqual([]);
    const secret = plantedSecrets(11).find(({ id }) => id === 'meshd/token')?.text;
    const { rows, finds } = passages(
      'a.md',
      section('A', 'lamp') + section('B', `lamp ${secret}`) + section('C', 'lamp'),
    );
    expect(rows).toEqual(['1-6 A', '13-18 C']);
    expect(finds('lamp')).toEqual([1, 13]);
  });
});

describe('the history', () => {
  const commit = (day: number): Commit => ({
    hash: `${day}`,
    at: day,
    author: 'A',
    subject: `S${day}`,
    paths: ['a.md'],
  });

  it('is read when another commit is checked out', () => {
    const { put, scan, state, database, indexing } = open();
    put('a.md', 'x');
    state.head = 'c1';
    state.commits = [commit(1)];
    const pauses = scan();
    expect(indexing.status.commit).toBe('c1');
    expect(database.latestCommits(5).map(({ subject }) => subject)).toEqual(['S1']);
    expect(database.listPassages('a.md')[0]?.changedMs).toBe(1);
    indexing.takeChange();
    expect(scan()).toBe(pauses - 2);
    expect(state.asked).toBe(1);
    expect(indexing.takeChange()).toBe(false);
    state.head = 'c2';
    state.commits = [commit(2)];
    scan();
    expect(indexing.status.commit).toBe('c2');
    expect(database.latestCommits(5).map(({ subject }) => subject)).toEqual(['S2']);
    expect(indexing.takeChange()).toBe(true);
  });

  it('dates files that were read again', () => {
    const { put, scan, state, database } = open();
    put('a.md', 'x');
    state.head = 'c1';
    state.commits = [commit(7)];
    scan();
    put('a.md', 'yy', { mtimeMs: 2 });
    scan();
    expect(database.listPassages('a.md')[0]?.changedMs).toBe(7);
  });

  it('is tried again ten minutes after it could not be read, or for another commit', () => {
    const { scan, state, database, clock } = open();
    state.head = 'c1';
    state.commits = undefined;
    scan();
    expect([state.asked, database.isHistoryBehind]).toEqual([1, true]);
    clock.advance(599_999);
    scan();
    expect(state.asked).toBe(1);
    clock.advance(1);
    scan();
    expect(state.asked).toBe(2);
    state.head = 'c2';
    scan();
    expect(state.asked).toBe(3);
    clock.advance(600_000);
    state.commits = [commit(1)];
    scan();
    expect([state.asked, database.isHistoryBehind]).toEqual([4, false]);
    state.head = 'c3';
    state.commits = undefined;
    scan();
    expect([state.asked, database.isHistoryBehind]).toEqual([5, true]);
  });

  it('is empty without a commit, and stays as it was while Git cannot be asked', () => {
    const { scan, state, database, indexing } = open();
    state.head = 'c1';
    state.commits = [commit(1)];
    scan();
    state.head = undefined;
    state.list = { tracking: 'unknown' };
    scan();
    expect(indexing.status.commit).toBeNull();
    expect(database.latestCommits(5)).toHaveLength(1);
    state.list = {};
    scan();
    expect(database.latestCommits(5)).toEqual([]);
    expect(state.asked).toBe(1);
  });
});
