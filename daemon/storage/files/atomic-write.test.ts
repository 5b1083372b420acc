import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { atomicWrite, durableUnlink } from './atomic-write.js';

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
