import { EventEmitter } from 'node:events';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { putFiles, temporaryFolder } from '../../testing/temporary-folder.js';
import { FilesWatch } from './files-watch.js';
import type { WatchPaths } from './markdown-folder-watch.js';

/** Watches a fresh folder. `next` returns the paths reported up to and including the given one. */
function watchOver(files: Record<string, string>) {
  const root = temporaryFolder(files);
  const told: string[] = [];
  let wake: () => void = () => undefined;
  const watch = new FilesWatch(
    root,
    async (path) => {
      told.push(path);
      wake();
    },
    () => undefined,
  );
  onTestFinished(() => watch.close());
  const next = async (path: string) => {
    while (!told.includes(path)) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return told.splice(0);
  };
  return { root, watch, next };
}

describe('FilesWatch', () => {
  it('reports files that are written, replaced, removed and created again', async () => {
    const { root, watch, next } = watchOver({ 'a/one.toml': '1', 'a/other.md': 'x', 'top.json': '{}' });
    await watch.follow(['a/one.toml', 'top.json']);
    writeFileSync(join(root, 'a/one.toml'), '2');
    await next('a/one.toml');
    writeFileSync(join(root, 'a/new'), '3');
    renameSync(join(root, 'a/new'), join(root, 'a/one.toml'));
    await next('a/one.toml');
    rmSync(join(root, 'a/one.toml'));
    await next('a/one.toml');
    putFiles(root, { 'a/one.toml': '4' });
    await next('a/one.toml');
    writeFileSync(join(root, 'top.json'), '{"a": 1}');
    await next('top.json');
  });

  it('reports only the watched files, and none that is not watched any more', async () => {
    const { root, watch, next } = watchOver({ 'a/one.md': '1', 'a/two.md': '1', 'b/three.md': '1' });
    await watch.follow(['a/one.md', 'b/three.md']);
    await watch.follow(['a/two.md']);
    writeFileSync(join(root, 'a/one.md'), '2');
    writeFileSync(join(root, 'b/three.md'), '2');
    writeFileSync(join(root, 'a/two.md'), '2');
    expect(new Set(await next('a/two.md'))).toEqual(new Set(['a/two.md']));
  });

  it('reports a file whose folder is created later', async () => {
    const { root, watch, next } = watchOver({});
    await watch.follow(['later/one.md']);
    mkdirSync(join(root, 'later'));
    writeFileSync(join(root, 'later/one.md'), '1');
    await next('later/one.md');
  });

  it('watches each folder once, at the root too, until none of its files is watched', async () => {
    const root = temporaryFolder({ 'top.md': '1', 'a/one.md': '1', 'a/two.md': '1', 'b/three.md': '1' });
    const open: string[] = [];
    const watchPaths = ((path: string) => {
      open.push(relative(root, path));
      const watcher = Object.assign(new EventEmitter(), {
        close: async () => void open.splice(open.indexOf(relative(root, path)), 1),
      });
      setImmediate(() => watcher.emit('ready'));
      return watcher;
    }) as unknown as WatchPaths;
    const watch = new FilesWatch(
      root,
      async () => undefined,
      () => undefined,
      watchPaths,
    );
    await watch.follow(['a/one.md', 'a/two.md', 'top.md']);
    expect(open.sort()).toEqual(['', 'a']);
    const both = [watch.follow(['a/two.md']), watch.follow(['a/one.md', 'b/three.md'])];
    await Promise.all(both);
    expect(open.sort()).toEqual(['a', 'b']);
    await watch.close();
    expect(open).toEqual([]);
    await watch.follow(['top.md']);
    expect(open).toEqual([]);
  });

  it('reports only the files of the root that it was given', async () => {
    const { root, watch, next } = watchOver({ 'top.md': '1', 'other.md': '1' });
    await watch.follow(['top.md']);
    writeFileSync(join(root, 'other.md'), '2');
    writeFileSync(join(root, 'top.md'), '2');
    expect(new Set(await next('top.md'))).toEqual(new Set(['top.md']));
  });
});

describe('FilesWatch without events of the file system', () => {
  /** Watches a fresh folder. `poll` returns the paths that the next look reports, once it reports `count` of them. */
  function pollOver(files: Record<string, string>) {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const root = temporaryFolder(files);
    const told: string[] = [];
    const silent = (() => {
      const watcher = Object.assign(new EventEmitter(), { close: async () => undefined });
      setImmediate(() => watcher.emit('ready'));
      return watcher;
    }) as unknown as WatchPaths;
    const watch = new FilesWatch(
      root,
      async (path) => void told.push(path),
      () => undefined,
      silent,
    );
    onTestFinished(() => watch.close());
    const poll = async (count: number) => {
      const timers = vi.getTimerCount();
      await vi.advanceTimersByTimeAsync(2_000);
      // Only a hung test is ended. Where nothing is to be reported, a few turns show most of what would be.
      const endMs = performance.now() + 8_000;
      for (let turn = 0; turn < 20 || vi.getTimerCount() < timers + count; turn += 1) {
        if (performance.now() > endMs) break;
        await new Promise((resume) => setImmediate(resume));
      }
      await vi.advanceTimersByTimeAsync(40);
      return told.splice(0).sort();
    };
    return { root, watch, poll };
  }

  it('reports each change once', async () => {
    const { root, watch, poll } = pollOver({ 'a/one.md': '1', 'a/two.md': '1' });
    await watch.follow(['a/one.md', 'a/two.md']);
    expect(await poll(0)).toEqual([]);
    putFiles(root, { 'a/one.md': 'longer' });
    expect([await poll(1), await poll(0)]).toEqual([['a/one.md'], []]);
    rmSync(join(root, 'a/one.md'));
    putFiles(root, { 'a/two.md': 'longer' });
    expect([await poll(2), await poll(0)]).toEqual([['a/one.md', 'a/two.md'], []]);
  });

  it('reports a change of a file that is followed from just before it on, beside others of its folder', async () => {
    const { root, watch, poll } = pollOver({ 'a/one.md': '1', 'a/two.md': '1' });
    await watch.follow(['a/one.md', 'later/one.md']);
    await watch.follow(['a/one.md', 'a/two.md', 'later/one.md', 'later/two.md']);
    putFiles(root, { 'a/two.md': 'longer', 'later/two.md': 'new' });
    expect(await poll(2)).toEqual(['a/two.md', 'later/two.md']);
  });

  it('reports nothing that happened while a file was not followed', async () => {
    const { root, watch, poll } = pollOver({ 'a/one.md': '1', 'a/two.md': '1' });
    await watch.follow(['a/one.md', 'a/two.md']);
    await watch.follow(['a/one.md']);
    putFiles(root, { 'a/two.md': 'longer' });
    await watch.follow(['a/one.md', 'a/two.md']);
    expect(await poll(0)).toEqual([]);
  });
});
