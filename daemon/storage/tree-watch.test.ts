import { mkdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../testing/temporary-folder.js';
import { getLimit, look, TreeWatch, type WatchFolder } from './tree-watch.js';

/** A watch whose events the test reports. */
function watching(files: Record<string, string>, failure: (folder: string) => string | undefined = () => undefined) {
  const root = temporaryFolder(files);
  const opened: string[] = [];
  const closed: string[] = [];
  const reporters = new Map<string, (name: string | null) => void>();
  const failures = new Map<string, () => void>();
  const watchFolder: WatchFolder = (path, options, onEvent) => {
    const folder = relative(root, path);
    const code = failure(folder);
    if (code !== undefined) throw Object.assign(new Error(code), { code });
    expect(options).toEqual({ persistent: false });
    opened.push(folder);
    reporters.set(folder, (name) => onEvent('change', name));
    return {
      close: () => closed.push(folder),
      on: (event, listener) => failures.set(`${folder} ${event}`, listener),
    };
  };
  const watch = new TreeWatch(root, watchFolder);
  const follow = (isIgnored: (folder: string) => boolean = () => false) => [...watch.follow(isIgnored)].length;
  const report = (folder: string, name: string | null, times = 1) => {
    for (let time = 0; time < times; time += 1) reporters.get(folder)?.(name);
  };
  return { root, watch, follow, report, opened, closed, fail: (folder: string) => failures.get(`${folder} error`)?.() };
}

describe.runIf(process.platform === 'linux')('a watched tree', () => {
  it('knows nothing before it is followed', () => {
    const { watch } = watching({});
    expect([watch.isOn, watch.hasFailed, watch.isQuiet, watch.take(), watch.isWatched('')]).toEqual([
      false,
      false,
      false,
      undefined,
      false,
    ]);
  });

  it('is watched in every folder but those of third parties, other repositories and those that are ignored', () => {
    const asked: string[] = [];
    const { watch, follow, opened } = watching({
      ...{ 'a.txt': '', 'src/deep/b.txt': '', 'made/c.txt': '', 'node_modules/x': '', '.mesh/x': '', '.git/x': '' },
      ...{
        'src/.venv/x': '',
        'src/__pycache__/x': '',
        'src/bower_components/x': '',
        'other/.git': '',
        'other/sub/x': '',
      },
    });
    follow((folder) => {
      asked.push(folder);
      return folder === 'made';
    });
    expect(opened.sort()).toEqual(['', 'other', 'src', 'src/deep']);
    expect(asked.sort()).toEqual(['made', 'other', 'src', 'src/deep']);
    expect([watch.isOn, watch.hasFailed, watch.isQuiet, watch.take()]).toEqual([true, false, true, []]);
    expect(['', 'src/deep', 'made', 'src/deep/b.txt'].map((path) => watch.isWatched(path))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('pauses after each fifty folders', () => {
    const files = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index}/a.txt`, '']));
    expect([watching(files(48)).follow(), watching(files(49)).follow(), watching(files(99)).follow()]).toEqual([
      0, 1, 2,
    ]);
  });

  it('reports each path that changed, once, until the next look', () => {
    const { watch, follow, report } = watching({ 'src/a.txt': '' });
    follow();
    report('', 'top.txt');
    report('src', 'a.txt', 3);
    expect([watch.isQuiet, watch.take(), watch.isQuiet, watch.take()]).toEqual([
      false,
      ['top.txt', 'src/a.txt'],
      true,
      [],
    ]);
  });

  it('does not know what changed after an event without a name, or too many', () => {
    const { watch, follow, report } = watching({});
    follow();
    report('', 'a.txt', 4_000);
    expect(watch.take()).toEqual(['a.txt']);
    report('', 'a.txt', 4_001);
    expect([watch.isQuiet, watch.take()]).toEqual([false, undefined]);
    report('', null);
    expect([watch.isQuiet, watch.take(), watch.take()]).toEqual([false, undefined, []]);
  });

  it('does not know what changed after more than a thousand paths', () => {
    const { watch, follow, report } = watching({});
    follow();
    for (let path = 0; path < 1_000; path += 1) report('', `${path}`);
    expect(watch.take()).toHaveLength(1_000);
    for (let path = 0; path < 1_001; path += 1) report('', `${path}`);
    expect(watch.take()).toBeUndefined();
  });

  it('is watched anew each time it is followed, and no longer in folders that are gone', () => {
    const { root, watch, follow, opened, closed } = watching({ 'src/a.txt': '', 'old/b.txt': '' });
    follow();
    rmSync(join(root, 'old'), { recursive: true });
    mkdirSync(join(root, 'new'));
    opened.length = 0;
    follow();
    expect([opened.sort(), closed.sort()]).toEqual([
      ['', 'new', 'src'],
      ['', 'old', 'src'],
    ]);
    expect([watch.isWatched('old'), watch.isWatched('new'), watch.isOn]).toEqual([false, true, true]);
  });

  it('is given up for good when a watch fails', () => {
    const { watch, follow, fail, opened, closed } = watching({ 'src/a.txt': '' });
    follow();
    fail('src');
    expect([watch.isOn, watch.hasFailed, watch.isQuiet, watch.take(), watch.isWatched('')]).toEqual([
      false,
      true,
      false,
      undefined,
      false,
    ]);
    expect(closed.sort()).toEqual(['', 'src']);
    opened.length = 0;
    follow();
    expect([opened, watch.hasFailed]).toEqual([[], true]);
  });

  it('is given up when a watch fails while the tree is followed', () => {
    const { watch, fail } = watching(
      Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`${index}/a.txt`, ''])),
    );
    const pauses = watch.follow(() => false);
    pauses.next();
    fail('');
    for (const _ of pauses);
    expect([watch.isOn, watch.hasFailed]).toEqual([false, true]);
  });

  it.each([
    ['src', 'ENOENT', true],
    ['', 'ENOENT', false],
    ['src', 'ENOSPC', false],
  ])('whose folder %j cannot be watched for %s is followed: %s', (folder, code, isOn) => {
    const { watch, follow, opened, closed } = watching({ 'src/a.txt': '', 'z/b.txt': '' }, (path) =>
      path === folder ? code : undefined,
    );
    follow();
    expect([watch.isOn, watch.hasFailed]).toEqual([isOn, !isOn]);
    expect(closed.length === opened.length).toBe(!isOn);
  });

  it.each([
    [3, true],
    [2, false],
  ])('is followed with as many folders as may be watched: %i', (limit, isOn) => {
    const root = temporaryFolder({ 'a/x': '', 'b/x': '' });
    let open = 0;
    const watchFolder: WatchFolder = () => {
      open += 1;
      return {
        close: () => {
          open -= 1;
        },
        on: () => undefined,
      };
    };
    const watch = new TreeWatch(root, watchFolder, () => limit);
    for (const _ of watch.follow(() => false));
    expect([watch.isOn, watch.hasFailed, open]).toEqual([isOn, !isOn, isOn ? 3 : 0]);
  });

  it('may lose a folder before it is read', () => {
    const root = temporaryFolder({ 'a/deep/x': '' });
    const opened: string[] = [];
    const watchFolder: WatchFolder = (path) => {
      opened.push(relative(root, path));
      if (path.endsWith('/a')) rmSync(path, { recursive: true });
      return { close: () => undefined, on: () => undefined };
    };
    const watch = new TreeWatch(root, watchFolder);
    for (const _ of watch.follow(() => false));
    expect([watch.isOn, opened]).toEqual([true, ['', 'a']]);
  });

  it('is not followed on a file system that changes without an event', () => {
    const watch = new TreeWatch('/proc/self', () => ({ close: () => undefined, on: () => undefined }));
    for (const _ of watch.follow(() => false));
    expect([watch.isOn, watch.hasFailed]).toEqual([false, true]);
  });

  it('notes what was changed before it settles', async () => {
    const root = temporaryFolder({ 'src/a.txt': '' });
    const watch = new TreeWatch(root);
    for (const _ of watch.follow(() => false));
    mkdirSync(join(root, 'src/made'));
    await watch.settle();
    expect([watch.isQuiet, watch.take()]).toEqual([false, ['src/made']]);
    watch.close();
    expect([watch.isOn, watch.hasFailed]).toEqual([false, true]);
  });
});

it.each([
  ['524288\n', 16_384],
  ['65536\n', 16_384],
  ['8195\n', 2_048],
  ['0', 0],
  ['many', 0],
])('takes a quarter of the watches %j, and no more than are needed: %i', (watches, limit) => {
  expect(getLimit(watches)).toBe(limit);
});

it('sees what stands at a path, also when its folder is a file', () => {
  const root = temporaryFolder({ 'a.txt': 'abc' });
  expect([
    look(join(root, 'a.txt'))?.size,
    look(root)?.isDirectory(),
    look(join(root, 'b')),
    look(join(root, 'a.txt/b')),
  ]).toEqual([3, true, undefined, undefined]);
});
