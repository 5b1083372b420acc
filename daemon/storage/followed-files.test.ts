import { appendFileSync, mkdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { git, putFiles, temporaryFolder, temporaryRepository } from '../testing/temporary-folder.js';
import { FollowedFiles } from './followed-files.js';
import { ProjectFiles } from './project-files.js';
import type { WatchFolder } from './tree-watch.js';

const environment = { PATH: process.env['PATH'] };
const PROJECT = { '.gitignore': '*.log\nbuild/\n', 'a.ts': 'a', 'src/b.ts': 'b', 'src/deep/c.ts': 'c' };

function run(pauses: Generator<void, void, void>): void {
  for (const _ of pauses);
}

/** Follows a repository from the start, whatever its size. */
function following(root: string, options: { from?: number; watchFolder?: WatchFolder } = {}) {
  const files = new ProjectFiles(root, environment, (path) => !path.endsWith('.png'));
  const followed = new FollowedFiles(files, root, environment, { from: 1, ...options });
  onTestFinished(() => followed.close());
  followed.next();
  run(followed.follow());
  followed.next();
  return followed;
}

async function next(followed: FollowedFiles) {
  await followed.settle();
  run(followed.follow());
  const { paths, list } = followed.next();
  return { paths: paths && [...paths].sort(), files: list.files.map(({ path }) => path) };
}

describe.runIf(process.platform === 'linux')('a followed repository', () => {
  it('lists just what was written, made, renamed or removed a moment ago', async () => {
    const root = temporaryRepository(PROJECT);
    const followed = following(root);
    await followed.settle();
    expect([followed.isFollowing, followed.isQuiet]).toEqual([true, true]);

    putFiles(root, { 'src/deep/c.ts': 'changed', 'new.md': 'new' });
    await followed.settle();
    expect(followed.isQuiet).toBe(false);
    expect(await next(followed)).toEqual({ paths: ['new.md', 'src/deep/c.ts'], files: ['new.md', 'src/deep/c.ts'] });
    expect(followed.isQuiet).toBe(true);

    renameSync(join(root, 'src/b.ts'), join(root, 'src/z.ts'));
    rmSync(join(root, 'a.ts'));
    expect(await next(followed)).toEqual({ paths: ['a.ts', 'src/b.ts', 'src/z.ts'], files: ['src/z.ts'] });
  });

  it('reports a file that was written with the size and time that it had', async () => {
    const root = temporaryRepository(PROJECT);
    const { atime, mtime } = statSync(join(root, 'a.ts'));
    const followed = following(root);
    writeFileSync(join(root, 'a.ts'), 'z');
    utimesSync(join(root, 'a.ts'), atime, mtime);
    expect(await next(followed)).toEqual({ paths: ['a.ts'], files: ['a.ts'] });
  });

  it('lists everything, and watches anew, after a folder was made, moved or replaced', async () => {
    const root = temporaryRepository(PROJECT);
    const followed = following(root);
    putFiles(root, { 'other/more/d.ts': 'd' });
    expect((await next(followed)).files).toContain('other/more/d.ts');
    putFiles(root, { 'other/more/d.ts': 'changed' });
    expect(await next(followed)).toEqual({ paths: ['other/more/d.ts'], files: ['other/more/d.ts'] });

    renameSync(join(root, 'src'), join(root, 'lib'));
    expect((await next(followed)).files).toContain('lib/deep/c.ts');
    putFiles(root, { 'lib/deep/c.ts': 'changed' });
    expect(await next(followed)).toEqual({ paths: ['lib/deep/c.ts'], files: ['lib/deep/c.ts'] });

    rmSync(join(root, 'lib/deep'), { recursive: true });
    putFiles(root, { 'lib/deep/e.ts': 'e' });
    expect((await next(followed)).files).toContain('lib/deep/e.ts');
    putFiles(root, { 'lib/deep/e.ts': 'changed' });
    expect(await next(followed)).toEqual({ paths: ['lib/deep/e.ts'], files: ['lib/deep/e.ts'] });
  });

  it('takes what git ignores for nothing, and lists everything when that changes', async () => {
    const root = temporaryRepository(PROJECT);
    putFiles(root, { 'logs/one.log': 'one' });
    const followed = following(root);
    putFiles(root, { 'run.log': 'one', 'logs/new.md': 'new' });
    expect(await next(followed)).toEqual({ paths: ['logs/new.md', 'run.log'], files: ['logs/new.md'] });
    appendFileSync(join(root, 'run.log'), 'two');
    mkdirSync(join(root, 'build'));
    await followed.settle();
    expect(followed.isQuiet).toBe(true);

    putFiles(root, { '.gitignore': '' });
    expect((await next(followed)).files).toContain('run.log');
    appendFileSync(join(root, 'run.log'), 'three');
    expect(await next(followed)).toEqual({ paths: ['run.log'], files: ['run.log'] });
    putFiles(root, { '.git/info/exclude': '*.log\n' });
    expect(followed.isQuiet).toBe(false);
    expect((await next(followed)).files).not.toContain('run.log');
  });

  it('lists everything when git tracks other files, but not when its index was only refreshed', async () => {
    const root = temporaryRepository(PROJECT);
    putFiles(root, { 'new.md': 'new' });
    const followed = following(root);
    git(root, 'add', 'new.md');
    expect(followed.isQuiet).toBe(false);
    expect((await next(followed)).paths).toBeUndefined();
    putFiles(root, { 'a.ts': 'changed' });
    git(root, 'add', 'a.ts');
    expect(await next(followed)).toEqual({ paths: ['a.ts'], files: ['a.ts'] });
    git(root, 'commit', '-q', '-m', 'more');
    expect(followed.isQuiet).toBe(false);
    expect(await next(followed)).toEqual({ paths: [], files: [] });
    expect(followed.isQuiet).toBe(true);
  });

  it('lists everything after more changes than can have been reported', async () => {
    const root = temporaryRepository(PROJECT);
    const followed = following(root);
    putFiles(root, Object.fromEntries(Array.from({ length: 1_100 }, (_, index) => [`src/${index}.ts`, 'x'])));
    const { paths, files } = await next(followed);
    expect([paths, files.length]).toEqual([undefined, 1_104]);
    expect(await next(followed)).toEqual({ paths: [], files: [] });
  });
});

describe('a repository that cannot be followed', () => {
  const failing = (): never => {
    throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
  };

  it.each([
    ['that has few files', { from: 100 }],
    ['whose folders the system has no watches for', { watchFolder: failing }],
  ])('%s is listed as a whole each time', async (_, options) => {
    const root = temporaryRepository(PROJECT);
    const followed = following(root, options);
    putFiles(root, { 'new.md': 'new' });
    expect([followed.isFollowing, followed.isQuiet]).toEqual([false, false]);
    const { paths, files } = await next(followed);
    expect([paths, files.length]).toEqual([undefined, 5]);
  });

  it('is listed as a whole from the moment at which a watch fails', async () => {
    const failures: (() => void)[] = [];
    const watchFolder: WatchFolder = () => ({
      close: () => undefined,
      on: (_event, listener) => failures.push(listener),
    });
    const followed = following(temporaryRepository(PROJECT), { watchFolder });
    failures[0]?.();
    expect(followed.isFollowing).toBe(false);
    expect((await next(followed)).paths).toBeUndefined();
  });

  it('is one without git', async () => {
    const followed = following(temporaryFolder(PROJECT));
    expect([followed.isFollowing, followed.isWorthFollowing]).toEqual([false, false]);
    expect((await next(followed)).paths).toBeUndefined();
  });
});
