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

describe.runIf(process.platform === 'linux')('a followed repository with nothing to list', () => {
  it.each(['index', 'HEAD', 'logs/HEAD', 'packed-refs', 'reftable/tables.list', 'refs/heads/main', 'info/exclude'])(
    'is not quiet after git has written %s',
    async (path) => {
      const root = temporaryRepository(PROJECT);
      const followed = following(root);
      await followed.settle();
      expect(followed.isQuiet).toBe(true);
      putFiles(root, { [`.git/${path}`]: `${path}\n` });
      expect(followed.isQuiet).toBe(false);
    },
  );

  it.each(['HEAD', 'index'])('is quiet although git has written the %s of another work tree', async (name) => {
    const main = temporaryRepository(PROJECT);
    const root = join(temporaryFolder(), 'other');
    git(main, 'worktree', 'add', '-q', '-b', 'other', root);
    const followed = following(root);
    await followed.settle();
    putFiles(main, { [`.git/${name}`]: 'x' });
    expect([followed.isFollowing, followed.isQuiet]).toEqual([true, true]);
    putFiles(main, { [`.git/worktrees/other/${name}`]: 'x' });
    expect(followed.isQuiet).toBe(false);
  });

  it.each(['packed-refs', 'refs/heads/other', 'info/exclude'])(
    'is not quiet after git has written %s for all work trees',
    async (path) => {
      const main = temporaryRepository(PROJECT);
      const root = join(temporaryFolder(), 'other');
      git(main, 'worktree', 'add', '-q', '-b', 'other', root);
      const followed = following(root);
      await followed.settle();
      expect(followed.isQuiet).toBe(true);
      putFiles(main, { [`.git/${path}`]: 'x' });
      expect(followed.isQuiet).toBe(false);
    },
  );

  it('is not quiet, and is listed as a whole, once it is not trusted', async () => {
    const followed = following(temporaryRepository(PROJECT));
    await followed.settle();
    followed.distrust();
    expect([followed.isFollowing, followed.isQuiet]).toEqual([false, false]);
    expect((await next(followed)).files).toHaveLength(4);
    expect([followed.isFollowing, followed.isQuiet]).toEqual([true, true]);
    expect(await next(followed)).toEqual({ paths: [], files: [] });
  });

  it('is not followed any more once it is closed', async () => {
    const followed = following(temporaryRepository(PROJECT));
    followed.close();
    expect([followed.isFollowing, followed.isQuiet, followed.isWorthFollowing]).toEqual([false, false, false]);
    expect((await next(followed)).paths).toBeUndefined();
  });
});

describe.runIf(process.platform === 'linux')('a change in a followed repository', () => {
  it('of a file that is not listed stays a change, unless git ignores it', async () => {
    const root = temporaryRepository(PROJECT);
    const followed = following(root);
    putFiles(root, { 'image.png': 'x', 'large.txt': 'x'.repeat(1024 * 1024 + 1), 'run.log': 'x' });
    expect(await next(followed)).toEqual({ paths: ['image.png', 'large.txt', 'run.log'], files: [] });
    putFiles(root, { 'image.png': 'xx', 'large.txt': 'small', 'run.log': 'xx' });
    expect(await next(followed)).toEqual({ paths: ['image.png', 'large.txt'], files: ['large.txt'] });
  });

  it('of what git ignores in a folder has everything listed again once it may be part of the project', async () => {
    const root = temporaryRepository(PROJECT);
    putFiles(root, { 'build/out.ts': 'x' });
    const followed = following(root);
    putFiles(root, { 'build/more.ts': 'x' });
    expect(await next(followed)).toEqual({ paths: [], files: [] });
    putFiles(root, { '.gitignore': '*.log\n' });
    expect((await next(followed)).files).toEqual(expect.arrayContaining(['build/out.ts', 'build/more.ts']));
    putFiles(root, { 'build/out.ts': 'changed' });
    expect(await next(followed)).toEqual({ paths: ['build/out.ts'], files: ['build/out.ts'] });
  });

  it('of the ignored files of a sub folder has everything listed again', async () => {
    const root = temporaryRepository(PROJECT);
    const followed = following(root);
    putFiles(root, { 'src/.gitignore': 'b.ts\n' });
    expect((await next(followed)).paths).toBeUndefined();
    putFiles(root, { 'src/b.ts': 'tracked, so that it counts' });
    expect(await next(followed)).toEqual({ paths: ['src/b.ts'], files: ['src/b.ts'] });
  });

  it('of a name that is not UTF-8 has everything listed again', async () => {
    const root = temporaryRepository(PROJECT);
    const followed = following(root);
    writeFileSync(Buffer.concat([Buffer.from(`${root}/caf`), Buffer.from([0xe9]), Buffer.from('.md')]), 'c');
    expect((await next(followed)).paths).toBeUndefined();
  });

  it('of names with spaces, quotes and other letters is told like any other', async () => {
    const root = temporaryRepository(PROJECT);
    const followed = following(root);
    putFiles(root, { 'a b.md': 'x', 'ü.md': 'x', 'ü.log': 'x', ':(top)x.md': 'x' });
    const names = [':(top)x.md', 'a b.md', 'ü.log', 'ü.md'];
    expect(await next(followed)).toEqual({ paths: names, files: names.filter((name) => name !== 'ü.log') });
    putFiles(root, { 'ü.log': 'y' });
    await followed.settle();
    expect(followed.isQuiet).toBe(true);
  });

  it('is told with everything when git cannot tell what belongs to the project', async () => {
    const root = temporaryRepository(PROJECT);
    const followed = following(root);
    putFiles(root, { 'new.md': 'x' });
    renameSync(join(root, '.git'), join(root, '.away'));
    const { paths } = await next(followed);
    expect(paths).toBeUndefined();
  });
});

describe('a repository that is large enough', () => {
  it.each([
    [4, true],
    [5, false],
  ])('has at least as many files as %i: %s', (from, isWorth) => {
    const root = temporaryRepository(PROJECT);
    const files = new ProjectFiles(root, environment, () => true);
    const followed = new FollowedFiles(files, root, environment, { from });
    onTestFinished(() => followed.close());
    expect(followed.isWorthFollowing).toBe(false);
    followed.next();
    expect(followed.isWorthFollowing).toBe(isWorth);
  });

  it('has two thousand files, unless it is said otherwise', () => {
    const root = temporaryRepository(PROJECT);
    const real = new ProjectFiles(root, environment, () => true);
    let count = 1_999;
    const files = {
      list: () => ({ ...real.list(), files: Array.from({ length: count }, () => ({ path: 'a' })) }),
    } as unknown as ProjectFiles;
    const followed = new FollowedFiles(files, root, environment);
    onTestFinished(() => followed.close());
    followed.next();
    expect(followed.isWorthFollowing).toBe(false);
    count += 1;
    followed.next();
    expect(followed.isWorthFollowing).toBe(true);
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
