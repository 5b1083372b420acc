import { EventEmitter } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { FolderWatch, type WatchPaths } from './markdown-folder-watch.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  return () => void vi.useRealTimers();
});

/** A watch of a folder whose watchers and scans are the test's. */
function open({ isReady = true } = {}) {
  const path = join(temporaryFolder({ 'team/a.md': 'a' }), 'team');
  const watchers: (EventEmitter & { isClosed: boolean })[] = [];
  const options: unknown[] = [];
  const watchPaths = ((_path: string, given: unknown) => {
    expect(_path).toBe(path);
    options.push(given);
    const watcher = Object.assign(new EventEmitter(), {
      isClosed: false,
      close: async () => {
        watcher.isClosed = true;
      },
    });
    watchers.push(watcher);
    if (isReady) setImmediate(() => watcher.emit('ready'));
    return watcher;
  }) as unknown as WatchPaths;
  const scan = { names: [] as string[], error: undefined as Error | undefined, count: 0 };
  const rescan = async () => {
    scan.count += 1;
    if (scan.error) throw scan.error;
    return scan.names.splice(0);
  };
  const warnings: string[] = [];
  const changed: string[] = [];
  const isDocument = (name: string) => name.endsWith('.md');
  const watch = new FolderWatch(path, rescan, isDocument, (message) => warnings.push(message), watchPaths);
  onTestFinished(() => watch.close());
  const start = () => watch.start(async (name) => void changed.push(name));
  return { path, watch, start, watchers, options, scan, warnings, changed };
}

async function until(isSo: () => boolean): Promise<void> {
  // Only a hung test is ended.
  const endMs = performance.now() + 8_000;
  while (!isSo()) {
    if (performance.now() > endMs) throw new Error('It does not come to that.');
    await new Promise((resume) => setImmediate(resume));
  }
}

/** Lets the next poll begin, and waits until `isSo`. */
async function poll(isSo: () => boolean): Promise<void> {
  vi.advanceTimersByTime(2_000);
  await until(isSo);
}

describe('a watched folder', () => {
  it('is watched from the start on, once', async () => {
    const { watch, start, watchers, options } = open();
    expect(watch.watching).toEqual({ mode: 'polling', reason: 'Not started.' });
    await start();
    await start();
    expect([watch.watching, watchers.length]).toEqual([{ mode: 'notices' }, 1]);
    expect(options).toEqual([{ depth: 0, followSymlinks: false, ignoreInitial: true, atomic: false }]);
  });

  it.each([
    ['all', 'change', '/x/team/a.md'],
    ['raw', 'rename', 'a.md'],
  ])('reports the event %s 40 ms after the last one about a document', async (event, kind, path) => {
    const { start, watchers, changed } = open();
    await start();
    watchers[0]?.emit(event, kind, path);
    vi.advanceTimersByTime(39);
    watchers[0]?.emit(event, kind, path);
    watchers[0]?.emit(event, kind, '/x/team/a.txt');
    watchers[0]?.emit('raw', kind, undefined);
    vi.advanceTimersByTime(39);
    expect(changed).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(changed).toEqual(['a.md']);
    watchers[0]?.emit(event, kind, path);
    vi.advanceTimersByTime(40);
    expect(changed).toEqual(['a.md', 'a.md']);
  });

  it('reports what a look every two seconds finds', async () => {
    const { start, scan, changed } = open();
    await start();
    scan.names = ['b.md', 'c.md', 'd.txt'];
    vi.advanceTimersByTime(1_999);
    expect(scan.count).toBe(0);
    vi.advanceTimersByTime(1);
    await until(() => scan.names.length === 0 && vi.getTimerCount() === 3);
    vi.advanceTimersByTime(40);
    expect(changed).toEqual(['b.md', 'c.md']);
  });

  it('reports nothing once it is closed', async () => {
    const { watch, start, watchers, scan, changed } = open();
    await start();
    watchers[0]?.emit('all', 'change', 'a.md');
    await watch.close();
    expect([watchers[0]?.isClosed, vi.getTimerCount()]).toEqual([true, 0]);
    watchers[0]?.emit('all', 'change', 'a.md');
    vi.advanceTimersByTime(4_000);
    expect([changed, scan.count]).toEqual([[], 0]);
  });

  it('is watched anew when another one takes its place', async () => {
    const { path, start, watchers, scan } = open();
    await start();
    await poll(() => scan.count === 1);
    expect(watchers).toHaveLength(1);
    rmSync(path, { recursive: true });
    await poll(() => watchers[0]?.isClosed === true);
    expect(watchers).toHaveLength(1);
    mkdirSync(path);
    await poll(() => watchers.length === 2);
    expect(watchers[1]?.isClosed).toBe(false);
  });
});

describe('a fault of the watch', () => {
  it.each(['ENOSPC', 'EMFILE', 'ENFILE'])('%s leaves the folder to the polls', async (code) => {
    const { path, watch, start, watchers, scan, warnings } = open();
    await start();
    const reason =
      `The system has no file watches left (${code}); changes are noticed within two seconds. Raise ` +
      'fs.inotify.max_user_watches and restart.';
    watchers[0]?.emit('error', Object.assign(new Error('x'), { code }));
    expect([watch.watching, warnings]).toEqual([{ mode: 'polling', reason }, [`Watching ${path}: ${reason}`]]);
    await until(() => watchers[0]?.isClosed === true);
    rmSync(path, { recursive: true });
    mkdirSync(path);
    await poll(() => scan.count === 1);
    // The second look begins once the first one has ended.
    await poll(() => scan.count === 2);
    expect([watchers.length, watch.watching.mode]).toEqual([1, 'polling']);
  });

  it('that comes late from the watcher of a former folder leaves the new one to be closed', async () => {
    const { path, watch, start, watchers } = open();
    await start();
    rmSync(path, { recursive: true });
    await poll(() => watchers[0]?.isClosed === true);
    mkdirSync(path);
    await poll(() => watchers.length === 2);
    watchers[0]?.emit('error', Object.assign(new Error('x'), { code: 'ENOSPC' }));
    await new Promise((resume) => setImmediate(resume));
    await watch.close();
    expect(watchers.map(({ isClosed }) => isClosed)).toEqual([true, true]);
  });

  it('of another kind is told once, and the folder stays watched', async () => {
    const { path, watch, start, watchers, warnings } = open();
    await start();
    for (const message of ['one', 'one', 'two']) watchers[0]?.emit('error', new Error(message));
    expect([watch.watching, warnings, watchers[0]?.isClosed]).toEqual([
      { mode: 'notices' },
      [`Watching ${path}: one`, `Watching ${path}: two`],
      false,
    ]);
  });

  it('before it is ready does not keep the start waiting', async () => {
    const { start, watchers, warnings } = open({ isReady: false });
    const started = start();
    await until(() => watchers.length === 1);
    watchers[0]?.emit('error', new Error('early'));
    await started;
    expect(warnings).toHaveLength(1);
  });

  it('of a look is told once, until a look succeeds', async () => {
    const { path, start, scan, warnings } = open();
    await start();
    scan.error = new Error('unreadable');
    await poll(() => warnings.length === 1);
    await poll(() => scan.count === 2);
    expect(warnings).toEqual([`Looking at ${path}: unreadable`]);
    scan.error = undefined;
    await poll(() => scan.count === 3);
    await new Promise((resume) => setImmediate(resume));
    scan.error = new Error('unreadable');
    await poll(() => scan.count === 4);
    await until(() => warnings.length === 2);
  });

  it('of reading a changed file is told with its name', async () => {
    const { watch, watchers, warnings } = open();
    await watch.start(async () => {
      throw new Error('broken');
    });
    watchers[0]?.emit('all', 'change', 'a.md');
    vi.advanceTimersByTime(40);
    await until(() => warnings.length === 1);
    expect(warnings).toEqual(['Reading a.md: broken']);
  });
});
