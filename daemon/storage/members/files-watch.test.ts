import { EventEmitter } from 'node:events';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
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
