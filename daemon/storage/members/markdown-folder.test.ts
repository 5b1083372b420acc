import { execFileSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import promises, { type FileHandle, open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import timers from 'node:timers/promises';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { sha256Hex } from '../../lib/crypto/digests.js';
import { git, putFiles, temporaryFolder, temporaryRepository } from '../../testing/temporary-folder.js';
import { MarkdownFolder } from './markdown-folder.js';
import type { WatchPaths } from './markdown-folder-watch.js';

const TEAM = ['.mesh', 'team'];

function aFolder(root: string, warnings: string[] = [], watchPaths?: WatchPaths): MarkdownFolder {
  const folder = new MarkdownFolder(root, TEAM, (message) => warnings.push(message), watchPaths);
  onTestFinished(() => folder.close());
  return folder;
}

/**
 * Starts the watch; `next(name)` resolves when a change of that name is reported, with the milliseconds since the call.
 */
async function watching(folder: MarkdownFolder): Promise<{ next: (name: string) => Promise<number> }> {
  const waiting = new Map<string, () => void>();
  await folder.rescan();
  await folder.watch(async (name) => waiting.get(name)?.());
  return {
    next: (name) => {
      const started = performance.now();
      return new Promise((resolve) => waiting.set(name, () => resolve(performance.now() - started)));
    },
  };
}

/** What all open files have in common: their methods. */
async function filePrototype(): Promise<FileHandle> {
  const handle = await open(temporaryFolder(), 'r');
  await handle.close();
  return Object.getPrototypeOf(handle) as FileHandle;
}

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

/** The median, so that one delay of the machine among three changes does not fail the test. */
const getMedian = (lengths: number[]) => [...lengths].sort((a, b) => a - b)[Math.floor(lengths.length / 2)];

describe('MarkdownFolder', () => {
  it('lists its documents: not README, nor names that begin with _ or .', async () => {
    const root = temporaryFolder({
      '.mesh/team/ada.md': 'a',
      '.mesh/team/README.md': 'r',
      '.mesh/team/_draft.md': 'd',
      '.mesh/team/.hidden.md': 'h',
      '.mesh/team/notes.txt': 'n',
      '.mesh/team/sub/deep.md': 's',
    });
    expect(await aFolder(root).rescan()).toEqual(['ada.md']);
  });

  it('reads the text and the revision of a file, including its byte order mark', async () => {
    const root = temporaryFolder({ '.mesh/team/ada.md': '\uFEFF---\nname: Ada\n---\n' });
    expect(await aFolder(root).read('ada.md')).toEqual({
      kind: 'text',
      text: '\uFEFF---\nname: Ada\n---\n',
      revision: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(await aFolder(root).read('bea.md')).toBeUndefined();
  });

  it('reports why it does not read anything but a regular UTF-8 file of at most 256 KiB', async () => {
    const root = temporaryFolder({
      '.mesh/team/big.md': 'x'.repeat(256 * 1024 + 1),
      '.mesh/team/fits.md': 'x'.repeat(256 * 1024),
      secret: 'TOP',
    });
    const path = (name: string) => join(root, '.mesh/team', name);
    symlinkSync(join(root, 'secret'), path('link.md'));
    symlinkSync(join(root, 'nowhere'), path('dangling.md'));
    mkdirSync(path('folder.md'));
    execFileSync('mkfifo', [path('pipe.md')]);
    writeFileSync(path('latin.md'), Buffer.from('---\nname: Ren\xe9\n---\n', 'latin1'));
    const folder = aFolder(root);
    const read = async (name: string) => JSON.stringify(await folder.read(name));
    expect(await read('big.md')).toContain('larger than 256 KiB');
    expect(await folder.read('fits.md')).toMatchObject({ kind: 'text' });
    expect(await read('link.md')).toContain('symbolic link');
    expect(await read('link.md')).not.toContain('TOP');
    expect(await read('dangling.md')).toContain('symbolic link');
    expect(await read('folder.md')).toContain('not a regular file');
    expect(await read('pipe.md')).toContain('not a regular file');
    expect(await folder.read('latin.md')).toMatchObject({
      kind: 'unreadable',
      problem: { line: 2, column: 10, reason: expect.stringContaining('UTF-8') },
    });
    expect((await folder.rescan()).sort()).toEqual([
      'big.md',
      'dangling.md',
      'fits.md',
      'folder.md',
      'latin.md',
      'link.md',
      'pipe.md',
    ]);
  });

  it.each([
    ['.mesh', '.mesh'],
    ['.mesh/team', '.mesh/team'],
  ])('rejects %s when it is a symbolic link', async (_case, path) => {
    const root = temporaryFolder({ 'elsewhere/team/ada.md': 'a' });
    if (path !== '.mesh') mkdirSync(join(root, '.mesh'));
    symlinkSync(join(root, path === '.mesh' ? 'elsewhere' : 'elsewhere/team'), join(root, path));
    await expect(aFolder(root).exists()).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('symbolic link'),
    });
    await expect(aFolder(root).write('ada.md', 'b')).rejects.toMatchObject({ code: 'forbidden' });
    await expect(aFolder(root).remove('ada.md')).rejects.toMatchObject({ code: 'forbidden' });
    expect(readFileSync(join(root, 'elsewhere/team/ada.md'), 'utf8')).toBe('a');
  });

  it('is created with its files at once', async () => {
    const root = temporaryFolder();
    const folder = aFolder(root);
    expect(await folder.exists()).toBe(false);
    await folder.createWith(new Map([['ada.md', 'a']]));
    expect(await folder.rescan()).toEqual(['ada.md']);
    expect(await folder.rescan()).toEqual([]);
  });

  it('overwrites a file and keeps its permissions, but does not write through a link', async () => {
    const root = temporaryFolder({ '.mesh/team/ada.md': 'a', target: 'TOP' });
    const path = join(root, '.mesh/team/ada.md');
    chmodSync(path, 0o600);
    const folder = aFolder(root);
    await folder.write('ada.md', 'b');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    unlinkSync(path);
    symlinkSync(join(root, 'target'), path);
    await expect(folder.write('ada.md', 'c')).rejects.toMatchObject({ code: 'file_changed' });
    expect(readFileSync(join(root, 'target'), 'utf8')).toBe('TOP');
    await folder.replace('ada.md', 'd');
    expect(readFileSync(join(root, 'target'), 'utf8')).toBe('TOP');
    expect(readFileSync(path, 'utf8')).toBe('d');
    await folder.remove('ada.md');
    await folder.remove('ada.md');
    expect(existsSync(path)).toBe(false);
  });

  it('lists the files that are new, changed or removed since the last scan', async () => {
    const root = temporaryFolder({ '.mesh/team/ada.md': 'a', '.mesh/team/bea.md': 'b', '.mesh/team/cy.md': 'c' });
    const folder = aFolder(root);
    expect((await folder.rescan()).sort()).toEqual(['ada.md', 'bea.md', 'cy.md']);
    putFiles(root, { '.mesh/team/ada.md': 'changed', '.mesh/team/dan.md': 'd' });
    rmSync(join(root, '.mesh/team/bea.md'));
    expect((await folder.rescan()).sort()).toEqual(['ada.md', 'bea.md', 'dan.md']);
    rmSync(join(root, '.mesh/team'), { recursive: true });
    expect((await folder.rescan()).sort()).toEqual(['ada.md', 'cy.md', 'dan.md']);
  });
});

it.each([
  [199, 0],
  [200, 1],
  [450, 2],
])('lets other work run while a folder of %i documents is scanned: %i times', async (documents, pauses) => {
  const files = Object.fromEntries(Array.from({ length: documents }, (_, at) => [`.mesh/team/a${at}.md`, '']));
  const folder = aFolder(temporaryFolder(files));
  const pause = vi.spyOn(timers, 'setImmediate');
  syncBuiltinESMExports();
  expect(await folder.rescan()).toHaveLength(documents);
  expect(pause).toHaveBeenCalledTimes(pauses);
});

describe('a folder that goes while it is scanned', () => {
  it('has no documents any more', async () => {
    const root = temporaryFolder({ '.mesh/team/a.md': 'a' });
    const folder = aFolder(root);
    expect(await folder.rescan()).toEqual(['a.md']);
    const scanned = folder.rescan();
    rmSync(join(root, '.mesh/team'), { recursive: true });
    expect(await scanned).toEqual(['a.md']);
    expect(await folder.rescan()).toEqual([]);
  });

  it('cannot be scanned when a file took its place', async () => {
    const root = temporaryFolder({ '.mesh/team/a.md': 'a' });
    const scanned = aFolder(root).rescan();
    rmSync(join(root, '.mesh/team'), { recursive: true });
    writeFileSync(join(root, '.mesh/team'), 'a file');
    await expect(scanned).rejects.toMatchObject({ code: 'ENOTDIR' });
  });
});

describe('the place of a folder', () => {
  it('is told by its path, within the project and without', () => {
    const folder = aFolder('/work');
    expect([folder.path, folder.relativePath]).toEqual(['/work/.mesh/team', '.mesh/team']);
  });

  it('must be a folder all the way', async () => {
    const root = temporaryFolder({ '.mesh/team': 'a file', elsewhere: '' });
    const path = join(root, '.mesh/team');
    await expect(aFolder(root).exists()).rejects.toMatchObject({
      code: 'forbidden',
      message: `${path} must be a plain directory, not a file: replace it and start again.`,
    });
    rmSync(path);
    symlinkSync(join(root, 'elsewhere'), path);
    await expect(aFolder(root).exists()).rejects.toMatchObject({
      message: `${path} must be a plain directory, not a symbolic link: replace it and start again.`,
    });
  });

  it('is made with all of its files, or stays as it was', async () => {
    const root = temporaryFolder();
    await aFolder(root).createWith(new Map(Object.entries({ 'a.md': 'a', 'b.md': 'b' })));
    expect([
      readFileSync(join(root, '.mesh/team/a.md'), 'utf8'),
      statSync(join(root, '.mesh/team/b.md')).mode & 0o777,
    ]).toEqual(['a', 0o644]);
    await expect(aFolder(root).createWith(new Map([['c.md', 'c']]))).rejects.toMatchObject({ code: 'ENOTEMPTY' });
    expect([readdirSync(join(root, '.mesh')), readdirSync(join(root, '.mesh/team')).sort()]).toEqual([
      ['team'],
      ['a.md', 'b.md'],
    ]);
  });

  it('is not made on a full disk, and leaves nothing behind', async () => {
    const root = temporaryFolder();
    const { rename } = promises;
    vi.spyOn(promises, 'rename').mockImplementation(async (from, to) => {
      if (to === join(root, '.mesh/team')) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      await rename(from, to);
    });
    syncBuiltinESMExports();
    await expect(aFolder(root).createWith(new Map([['a.md', 'a']]))).rejects.toMatchObject({ code: 'no_space' });
    expect(readdirSync(join(root, '.mesh'))).toEqual([]);
  });

  it('is not made behind a link', async () => {
    const root = temporaryFolder({ 'elsewhere/x': '' });
    symlinkSync(join(root, 'elsewhere'), join(root, '.mesh'));
    await expect(aFolder(root).createWith(new Map([['a.md', 'a']]))).rejects.toMatchObject({ code: 'forbidden' });
    expect(readdirSync(join(root, 'elsewhere'))).toEqual(['x']);
  });
});

describe('a document', () => {
  const inTeam = (root: string, name: string) => join(root, '.mesh/team', name);

  it.each(['.md', 'a.txt', 'README.md', '_a.md', '.a.md', 'a.md~'])('is not called %s', async (name) => {
    expect(await aFolder(temporaryFolder({ [`.mesh/team/${name}`]: 'x', '.mesh/team/x.md': '' })).rescan()).toEqual([
      'x.md',
    ]);
  });

  it('is changed when it is written, replaced or made accessible', async () => {
    const root = temporaryFolder({ '.mesh/team/a.md': 'a', '.mesh/team/b.md': 'b' });
    const folder = aFolder(root);
    await folder.rescan();
    chmodSync(inTeam(root, 'a.md'), 0o600);
    expect(await folder.rescan()).toEqual(['a.md']);
    putFiles(root, { '.mesh/team/.new': 'b' });
    renameSync(inTeam(root, '.new'), inTeam(root, 'b.md'));
    expect(await folder.rescan()).toEqual(['b.md']);
    expect(await folder.rescan()).toEqual([]);
  });

  it('is not read where it is no text of a regular file, for a reason', async () => {
    const root = temporaryFolder({ '.mesh/team/big.md': 'x'.repeat(256 * 1024 + 1) });
    symlinkSync('nowhere', inTeam(root, 'link.md'));
    mkdirSync(inTeam(root, 'folder.md'));
    const unreadable = (reason: string) => ({
      kind: 'unreadable',
      problem: { line: 1, column: 1, reason },
      revision: '',
    });
    const folder = aFolder(root);
    expect([await folder.read('big.md'), await folder.read('link.md'), await folder.read('folder.md')]).toEqual([
      unreadable('The file is larger than 256 KiB: shorten it.'),
      unreadable('This is a symbolic link: put the file itself here.'),
      unreadable('This is not a regular file: put a Markdown file here.'),
    ]);
  });

  it.each<[number[], number, number]>([
    [[0xff], 1, 1],
    [[0x61, 0xff], 1, 2],
    [[0x61, 0x0a, 0x0a, 0x62, 0xff, 0x0a], 3, 2],
    [[0xc3, 0xa4, 0xc3, 0xa4, 0xff], 1, 3],
    [[0x61, 0xc3], 1, 2],
  ])('with the bytes %j is no UTF-8 from line %i and column %i on', async (bytes, line, column) => {
    const root = temporaryFolder({ '.mesh/team/a.md': '' });
    writeFileSync(inTeam(root, 'a.md'), Buffer.from(bytes));
    expect(await aFolder(root).read('a.md')).toEqual({
      kind: 'unreadable',
      problem: { line, column, reason: 'The file is not UTF-8: save it as UTF-8.' },
      revision: sha256Hex(Buffer.from(bytes)),
    });
  });

  it.each<[string, object, string]>([
    ['cannot be read', { code: 'EIO' }, 'The file cannot be opened (EIO).'],
    ['fails without a code', {}, 'The file cannot be opened (unknown reason).'],
  ])('is not read where the file %s, for a reason', async (_case, failure, reason) => {
    const folder = aFolder(temporaryFolder({ '.mesh/team/a.md': 'a' }));
    vi.spyOn(await filePrototype(), 'stat').mockRejectedValue(Object.assign(new Error('failed'), failure));
    expect(await folder.read('a.md')).toEqual({
      kind: 'unreadable',
      problem: { line: 1, column: 1, reason },
      revision: '',
    });
  });

  it('is closed after it was read, also where it cannot be', async () => {
    const root = temporaryFolder({ '.mesh/team/a.md': 'a', '.mesh/team/big.md': 'x'.repeat(256 * 1024 + 1) });
    const handles: FileHandle[] = [];
    const { open: openFile } = promises;
    vi.spyOn(promises, 'open').mockImplementation(async (...given) => {
      const handle = await openFile(...given);
      handles.push(handle);
      return handle;
    });
    syncBuiltinESMExports();
    const folder = aFolder(root);
    for (const name of ['a.md', 'big.md', 'none.md']) await folder.read(name);
    vi.spyOn(await filePrototype(), 'stat').mockRejectedValue(Object.assign(new Error('failed'), { code: 'EIO' }));
    await folder.read('a.md');
    // The second to last one is that of the prototype.
    expect(handles.map(({ fd }) => fd)).toEqual([-1, -1, -1, -1]);
  });

  it('is missing when it goes while it is opened', async () => {
    const folder = aFolder(temporaryFolder({ '.mesh/team/a.md': 'a' }));
    const gone = Object.assign(new Error('gone'), { code: 'ENOENT' });
    vi.spyOn(await filePrototype(), 'stat').mockRejectedValue(gone);
    expect(await folder.read('a.md')).toBeUndefined();
  });

  it('is not read where its name refers to something else once it is opened', async () => {
    const root = temporaryFolder({ '.mesh/team/a.md': 'a' });
    vi.spyOn(await filePrototype(), 'stat').mockResolvedValue(statSync(root));
    expect(await aFolder(root).read('a.md')).toMatchObject({
      problem: { reason: 'This is not a regular file: put a Markdown file here.' },
    });
  });

  it('is read whole, up to the limit, when it grows while it is read', async () => {
    const fits = 'abc'.repeat(256 * 1024).slice(0, 256 * 1024);
    const root = temporaryFolder({
      '.mesh/team/a.md': '',
      '.mesh/team/fits.md': fits,
      '.mesh/team/big.md': `${fits}x`,
    });
    const empty = statSync(inTeam(root, 'a.md'));
    const folder = aFolder(root);
    vi.spyOn(await filePrototype(), 'stat').mockResolvedValue(empty);
    expect(await folder.read('fits.md')).toEqual({ kind: 'text', text: fits, revision: sha256Hex(fits) });
    expect(await folder.read('big.md')).toMatchObject({
      problem: { reason: 'The file is larger than 256 KiB: shorten it.' },
    });
  });

  it('is not missing where its name cannot be looked up', async () => {
    const folder = aFolder(temporaryFolder({ '.mesh/team/a.md': 'a' }));
    await expect(folder.read(`${'x'.repeat(300)}.md`)).rejects.toMatchObject({ code: 'ENAMETOOLONG' });
  });

  it('is written with its folder, for all to read, and returned as it is then', async () => {
    const root = temporaryFolder();
    const folder = aFolder(root);
    expect(await folder.write('a.md', 'ä')).toEqual({ kind: 'text', text: 'ä', revision: sha256Hex('ä') });
    expect(await folder.read('a.md')).toEqual({ kind: 'text', text: 'ä', revision: sha256Hex('ä') });
    expect(statSync(inTeam(root, 'a.md')).mode & 0o777).toBe(0o644);
    chmodSync(inTeam(root, 'a.md'), 0o4755);
    await folder.write('a.md', 'b');
    expect(statSync(inTeam(root, 'a.md')).mode & 0o7777).toBe(0o755);
  });

  it('replaces a pipe or a link, but no folder', async () => {
    const root = temporaryFolder({ '.mesh/team/folder.md/x': '' });
    execFileSync('mkfifo', [inTeam(root, 'pipe.md')]);
    const folder = aFolder(root);
    expect(await folder.replace('pipe.md', 'a')).toMatchObject({ kind: 'text', text: 'a' });
    expect(readFileSync(inTeam(root, 'pipe.md'), 'utf8')).toBe('a');
    await expect(folder.replace('folder.md', 'a')).rejects.toMatchObject({ code: 'file_changed' });
    const fresh = temporaryFolder();
    await aFolder(fresh).replace('a.md', 'a');
    expect(readFileSync(inTeam(fresh, 'a.md'), 'utf8')).toBe('a');
  });

  it('of a folder that is not there may be removed', async () => {
    const root = temporaryFolder();
    await aFolder(root).remove('a.md');
    expect(readdirSync(root)).toEqual([]);
  });
});

describe('the watch', () => {
  it('reports a new, an edited and a removed file well within 300 ms', async () => {
    const root = temporaryFolder({ '.mesh/team/ada.md': 'a' });
    const { next } = await watching(aFolder(root));
    const path = join(root, '.mesh/team/bea.md');
    const lengths: number[] = [];
    for (const act of [() => writeFileSync(path, 'b'), () => writeFileSync(path, 'other'), () => unlinkSync(path)]) {
      const reported = next('bea.md');
      act();
      lengths.push(await reported);
    }
    expect(getMedian(lengths)).toBeLessThan(300);
  });

  it('reports a file that an editor replaces by renaming', async () => {
    const root = temporaryFolder({ '.mesh/team/ada.md': 'a' });
    const { next } = await watching(aFolder(root));
    const lengths: number[] = [];
    for (const text of ['b', 'c', 'd']) {
      const reported = next('ada.md');
      writeFileSync(join(root, '.mesh/team/.ada.md.swp'), text);
      renameSync(join(root, '.mesh/team/.ada.md.swp'), join(root, '.mesh/team/ada.md'));
      lengths.push(await reported);
    }
    expect(getMedian(lengths)).toBeLessThan(300);
  });

  it('reports the files that git checks out', async () => {
    const root = temporaryRepository({ '.mesh/team/ada.md': 'first' });
    git(root, 'checkout', '-q', '-b', 'other');
    putFiles(root, { '.mesh/team/ada.md': 'second', '.mesh/team/bea.md': 'b' });
    git(root, 'add', '-A');
    git(root, 'commit', '-q', '-m', 'second');
    const { next } = await watching(aFolder(root));
    const reported = Promise.all([next('ada.md'), next('bea.md')]);
    git(root, 'checkout', '-q', 'main');
    await reported;
    expect(readFileSync(join(root, '.mesh/team/ada.md'), 'utf8')).toBe('first');
  });

  it('detects a folder that was removed and created again', async () => {
    const root = temporaryFolder({ '.mesh/team/ada.md': 'a' });
    const { next } = await watching(aFolder(root));
    const gone = next('ada.md');
    rmSync(join(root, '.mesh/team'), { recursive: true });
    await gone;
    const back = next('bea.md');
    putFiles(root, { '.mesh/team/bea.md': 'b' });
    expect(await back).toBeLessThan(3_000);
    const edited = next('bea.md');
    putFiles(root, { '.mesh/team/bea.md': 'edited' });
    await edited;
  });

  it('starts with a folder that does not exist yet', async () => {
    const root = temporaryFolder();
    const { next } = await watching(aFolder(root));
    const reported = next('ada.md');
    putFiles(root, { '.mesh/team/ada.md': 'a' });
    expect(await reported).toBeLessThan(3_000);
  });

  it.each(['ENOSPC', 'EMFILE'])('polls every two seconds and warns when the system reports %s', async (code) => {
    const root = temporaryFolder({ '.mesh/team/ada.md': 'a' });
    const warnings: string[] = [];
    const closed: string[] = [];
    const refusing = (() => {
      const watcher = Object.assign(new EventEmitter(), { close: async () => void closed.push('closed') });
      setImmediate(() => watcher.emit('error', Object.assign(new Error('no watches left'), { code })));
      return watcher;
    }) as unknown as WatchPaths;
    const folder = aFolder(root, warnings, refusing);
    const { next } = await watching(folder);
    expect(folder.watching).toEqual({ mode: 'polling', reason: expect.stringContaining(code) });
    expect(warnings.join()).toContain(code);
    const reported = next('ada.md');
    putFiles(root, { '.mesh/team/ada.md': 'changed' });
    expect(await reported).toBeLessThan(3_000);
    expect(closed).toEqual(['closed']);
  });
});
