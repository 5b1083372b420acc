import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { heldOpen } from '../../testing/held-open.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { atomicWrite, durableUnlink, ensureDirectory, syncDirectory } from './atomic-write.js';

interface Sync {
  what: 'file' | 'folder';
  /** The content of the synced file; undefined for a folder. */
  content: string | undefined;
  /** The content that a reader of the target sees at that time; undefined when there is none. */
  seen: string | undefined;
}

/** Records what is synced to disk, and what the file at `path` holds at that time. */
async function watchSyncs(path: string): Promise<Sync[]> {
  const handle = await open(temporaryFolder(), 'r');
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const syncs: Sync[] = [];
  const sync = prototype.sync;
  vi.spyOn(prototype, 'sync').mockImplementation(async function (this: FileHandle) {
    await sync.call(this);
    const isFolder = (await this.stat()).isDirectory();
    const content = isFolder ? undefined : readFileSync(`/proc/self/fd/${this.fd}`, 'utf8');
    syncs.push({ what: isFolder ? 'folder' : 'file', content, seen: read(path) });
  });
  return syncs;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

afterEach(() => vi.restoreAllMocks());

// A file is named by its descriptor below /proc.
describe.runIf(process.platform === 'linux')('durability across a power failure', () => {
  it.each([['a new file', undefined] as const, ['a file that is replaced', 'old'] as const])(
    'syncs the content of %s before its name, and its name before the promise resolves',
    async (_what, before) => {
      const path = join(temporaryFolder(), 'tokens.json');
      if (before !== undefined) writeFileSync(path, before);
      const syncs = await watchSyncs(path);
      await atomicWrite(path, 'new', 0o600);
      expect(syncs).toEqual([
        { what: 'file', content: 'new', seen: before },
        { what: 'folder', content: undefined, seen: 'new' },
      ]);
    },
  );

  it('syncs nothing of a file that need not be durable', async () => {
    const path = join(temporaryFolder(), 'daemon.json');
    const syncs = await watchSyncs(path);
    await atomicWrite(path, 'new', 0o600, { isDurable: false });
    expect([syncs, read(path)]).toEqual([[], 'new']);
  });

  it('syncs the folder of a removed file before the promise resolves', async () => {
    const path = join(temporaryFolder(), 'tokens.json');
    writeFileSync(path, 'old');
    const syncs = await watchSyncs(path);
    await durableUnlink(path);
    expect(syncs).toEqual([{ what: 'folder', content: undefined, seen: undefined }]);
  });

  it('leaves the old file, and nothing beside it, when the content cannot be synced', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'tokens.json');
    writeFileSync(path, 'old');
    const handle = await open(folder, 'r');
    const prototype = Object.getPrototypeOf(handle) as FileHandle;
    await handle.close();
    const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    vi.spyOn(prototype, 'sync').mockRejectedValueOnce(full);
    await expect(atomicWrite(path, 'new', 0o600)).rejects.toMatchObject({ code: 'no_space' });
    expect(readdirSync(folder)).toEqual(['tokens.json']);
    expect(read(path)).toBe('old');
  });
});

/** The methods of all open files. */
async function filePrototype(): Promise<FileHandle> {
  const handle = await open(temporaryFolder(), 'r');
  await handle.close();
  return Object.getPrototypeOf(handle) as FileHandle;
}

const failure = (code: string) => Object.assign(new Error(code), { code });
const getMode = (path: string) => statSync(path).mode & 0o777;

describe('atomicWrite', () => {
  it('writes text and bytes with exactly the mode, also over a file that others could read', async () => {
    const folder = temporaryFolder({ 'a.txt': 'old' });
    const path = join(folder, 'a.txt');
    chmodSync(path, 0o644);
    await atomicWrite(path, 'é', 0o600);
    expect([readFileSync(path, 'utf8'), getMode(path)]).toEqual(['é', 0o600]);
    await atomicWrite(path, Buffer.from([0xff, 0]), 0o666);
    expect([readFileSync(path), getMode(path)]).toEqual([Buffer.from([0xff, 0]), 0o666]);
    expect(readdirSync(folder)).toEqual(['a.txt']);
  });

  it('writes a file of the project with the mode that it had, or that the umask leaves', async () => {
    const folder = temporaryFolder({ 'a.txt': 'old' });
    chmodSync(join(folder, 'a.txt'), 0o4751);
    await atomicWrite(join(folder, 'a.txt'), 'new', 'usual');
    const usual = process.umask(0o027);
    onTestFinished(() => void process.umask(usual));
    await atomicWrite(join(folder, 'b.txt'), 'new', 'usual');
    await ensureDirectory(join(folder, 'b'), 'usual');
    process.umask(0o077);
    await ensureDirectory(join(folder, 'b'), 'usual');
    expect(['a.txt', 'b.txt', 'b'].map((name) => getMode(join(folder, name)))).toEqual([0o751, 0o640, 0o750]);
  });

  it.each([
    ['a link', (path: string) => symlinkSync('/dev/null', path)],
    ['a folder', (path: string) => mkdirSync(path)],
  ])('replaces no %s', async (_, put) => {
    const path = join(temporaryFolder(), 'a.txt');
    put(path);
    await expect(atomicWrite(path, 'new', 0o600)).rejects.toMatchObject({
      code: 'file_changed',
      message: `${path} is not a regular file any more; replace it by hand with a regular file.`,
    });
    expect(lstatSync(path).isFile()).toBe(false);
  });

  it('says what the system says when there is no folder for the file', async () => {
    await expect(atomicWrite(join(temporaryFolder(), 'none/a.txt'), 'x', 0o600)).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });

  it('closes and removes its temporary file when writing fails', async () => {
    const folder = temporaryFolder();
    vi.spyOn(await filePrototype(), 'writeFile').mockRejectedValue(failure('EIO'));
    await expect(atomicWrite(join(folder, 'a.txt'), 'x', 0o600)).rejects.toMatchObject({ code: 'store_readonly' });
    expect(readdirSync(folder)).toEqual([]);
    expect(heldOpen(folder)).toEqual([]);
  });
});

describe('durableUnlink', () => {
  it('takes a file that is gone for removed, and says when it cannot remove one', async () => {
    const folder = temporaryFolder({ 'full/a.txt': 'a' });
    const path = join(folder, 'full/a.txt');
    for (const _ of [1, 2]) await durableUnlink(path);
    expect(readdirSync(join(folder, 'full'))).toEqual([]);
    // The folder is not brought to the disk for a file that was not there.
    await durableUnlink(join(folder, 'none/a.txt'));
    await expect(durableUnlink(join(folder, 'full'))).rejects.toThrow(/EISDIR|EPERM|cannot be written/);
  });
});

describe('ensureDirectory', () => {
  it('makes a folder and those above it, and gives one that is there exactly the mode', async () => {
    const path = join(temporaryFolder(), 'a/b');
    await ensureDirectory(path, 0o700);
    expect(getMode(path)).toBe(0o700);
    await ensureDirectory(path, 0o777);
    expect(getMode(path)).toBe(0o777);
    chmodSync(path, 0o750);
    await ensureDirectory(path, 0o700);
    expect(getMode(path)).toBe(0o700);
    expect(heldOpen(path)).toEqual([]);
  });

  it('leaves the mode of a folder that has it alone', async () => {
    const path = join(temporaryFolder(), 'a');
    await ensureDirectory(path, 0o700);
    const chmod = vi.spyOn(await filePrototype(), 'chmod');
    await ensureDirectory(path, 0o700);
    expect(chmod).not.toHaveBeenCalled();
    // A new one is private from its first moment.
    await ensureDirectory(join(path, 'b/c'), 0o700);
    expect(chmod).not.toHaveBeenCalled();
  });

  it('refuses a private folder where permissions cannot be set, and leaves none that it made', async () => {
    const folder = temporaryFolder();
    const there = join(folder, 'there');
    mkdirSync(there);
    chmodSync(there, 0o777);
    // A drive of Windows in WSL: everything has one mode, and what is set has no effect.
    const prototype = await filePrototype();
    const { stat } = prototype;
    vi.spyOn(prototype, 'chmod').mockResolvedValue();
    vi.spyOn(prototype, 'stat').mockImplementation(async function (this: FileHandle) {
      const stats = await stat.call(this);
      return Object.assign(stats, { mode: Number(stats.mode) | 0o777 });
    } as FileHandle['stat']);
    const refused = (path: string) => ({
      code: 'forbidden',
      message:
        `${path} is on a file system that keeps no permissions, so others can read it (a Windows drive in WSL: ` +
        'mount it with `metadata`, or use a folder in your home).',
    });
    await expect(ensureDirectory(there, 0o700)).rejects.toMatchObject(refused(there));
    const made = join(folder, 'made');
    // The sticky bit makes the mode of the new folder differ; there is no other way to it without such a drive.
    await expect(ensureDirectory(made, 0o1700)).rejects.toMatchObject(refused(made));
    expect(readdirSync(folder)).toEqual(['there']);
    await ensureDirectory(there, 0o755);
    expect(heldOpen(folder)).toEqual([]);
  });

  it.each([
    ['a file', (path: string) => writeFileSync(path, '')],
    ['a link to a folder', (path: string) => symlinkSync('/tmp', path)],
    ['a link to nothing', (path: string) => symlinkSync('nowhere', path)],
  ])('refuses %s in the place of the folder', async (_, put) => {
    const path = join(temporaryFolder(), 'a');
    put(path);
    await expect(ensureDirectory(path, 0o700)).rejects.toMatchObject({
      code: 'forbidden',
      message: `${path} must be a directory, not a link or a file: remove it and start again.`,
    });
  });

  it('says what the system says when a file is above it', async () => {
    const path = join(temporaryFolder({ a: '' }), 'a/b');
    await expect(ensureDirectory(path, 0o700)).rejects.toMatchObject({ code: 'ENOTDIR', syscall: 'mkdir' });
  });

  it('names the folder whose mode cannot be set', async () => {
    const path = join(temporaryFolder(), 'a');
    mkdirSync(path, { mode: 0o750 });
    vi.spyOn(await filePrototype(), 'chmod').mockRejectedValue(failure('EPERM'));
    await expect(ensureDirectory(path, 0o700)).rejects.toMatchObject({
      code: 'store_readonly',
      cause: { code: 'EPERM', path },
    });
    expect(heldOpen(path)).toEqual([]);
  });
});

it('a folder that cannot be brought to the disk is an error of the store', async () => {
  const folder = temporaryFolder();
  vi.spyOn(await filePrototype(), 'sync').mockRejectedValue(failure('EIO'));
  await expect(syncDirectory(folder)).rejects.toMatchObject({ code: 'store_readonly' });
  expect(heldOpen(folder)).toEqual([]);
  await expect(syncDirectory(join(folder, 'none'))).rejects.toMatchObject({ code: 'ENOENT' });
});

it('a folder is taken for stored where the file system syncs no folders', async () => {
  const folder = temporaryFolder({ 'a.txt': 'old' });
  const prototype = await filePrototype();
  const { sync } = prototype;
  vi.spyOn(prototype, 'sync').mockImplementation(async function (this: FileHandle) {
    if ((await this.stat()).isDirectory()) throw failure('EINVAL');
    await sync.call(this);
  });
  await atomicWrite(join(folder, 'a.txt'), 'new', 0o600);
  await durableUnlink(join(folder, 'a.txt'));
  expect([readdirSync(folder), heldOpen(folder)]).toEqual([[], []]);
});
