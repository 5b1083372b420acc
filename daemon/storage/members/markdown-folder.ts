import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as waitForTick } from 'node:timers/promises';
import { MEMBER_FILE_LIMIT } from '../../contract/limits.js';
import type { Problem } from '../../contract/team.js';
import { sha256Hex } from '../../lib/crypto/digests.js';
import { toStorageError } from '../../lib/disk-errors.js';
import { MeshError, systemCode } from '../../lib/errors.js';
import { findEntry } from '../../private/private-file.js';
import { atomicWrite, durableUnlink } from '../files/atomic-write.js';
import { FolderWatch, type Watching, type WatchPaths } from './markdown-folder-watch.js';

/** The content of a file on disk: its text, or the reason why it is unusable. */
export type FileState =
  | { kind: 'text'; text: string; revision: string }
  | { kind: 'unreadable'; problem: Problem; revision: string };

/** Number of files examined before the loop yields to the event loop. */
const FILES_A_TURN = 200;

/**
 * Reports whether a file name denotes a document of the folder: it ends with `.md`, is not README.md, and
 * does not start with `_` or `.`.
 */
function isDocumentName(name: string): boolean {
  return name.endsWith('.md') && name !== 'README.md' && !name.startsWith('_') && !name.startsWith('.');
}

/**
 * A folder of Markdown files that the operator edits by hand while the daemon reads, writes and watches it. Only
 * regular files of at most 256 KiB of UTF-8 are read, never through a link. Reading never blocks on a pipe or a device.
 */
export class MarkdownFolder {
  readonly path: string;
  /** The folder's path relative to the project, with `/`. */
  readonly relativePath: string;
  private readonly folderWatch: FolderWatch;
  private signatures = new Map<string, string>();

  /**
   * `segments` lead from `root` to the folder; none of them may be a link. `watchPaths` is
   * the file system watcher to use.
   */
  constructor(
    private readonly root: string,
    private readonly segments: readonly string[],
    warn: (message: string) => void,
    watchPaths?: WatchPaths,
  ) {
    this.path = join(root, ...segments);
    this.relativePath = segments.join('/');
    this.folderWatch = new FolderWatch(this.path, () => this.rescan(), isDocumentName, warn, watchPaths);
  }

  get watching(): Watching {
    return this.folderWatch.watching;
  }

  /**
   * Reports whether the folder exists. Throws `forbidden` when it, or a folder on the way to it, is a link or a file.
   */
  async exists(): Promise<boolean> {
    let path = this.root;
    for (const segment of this.segments) {
      path = join(path, segment);
      const found = lstatIfThere(path);
      if (!found) return false;
      if (!found.isDirectory()) {
        throw new MeshError(
          'forbidden',
          `${path} must be a plain directory, not a ${found.isSymbolicLink() ? 'symbolic link' : 'file'}: ` +
            'replace it and start again.',
        );
      }
    }
    return true;
  }

  /** Creates the folder with `files` (name to text) in it. It appears complete or not at all. */
  async createWith(files: ReadonlyMap<string, string>): Promise<void> {
    await this.exists();
    const parent = join(this.root, ...this.segments.slice(0, -1));
    const prepared = join(parent, `.${randomBytes(8).toString('hex')}.tmp`);
    try {
      await mkdir(parent, { recursive: true });
      await mkdir(prepared);
      for (const [name, text] of files) await atomicWrite(join(prepared, name), text, 'usual');
      await rename(prepared, this.path);
    } catch (error) {
      await rm(prepared, { recursive: true, force: true });
      throw toStorageError(error);
    }
  }

  /**
   * Returns the names of the documents that were added, removed or changed since the last call. The
   * first call returns all names.
   */
  async rescan(): Promise<string[]> {
    const found = new Map<string, string>();
    if (await this.exists()) {
      for (const [index, name] of (await this.names()).entries()) {
        if (index % FILES_A_TURN === FILES_A_TURN - 1) await waitForTick();
        const stats = lstatIfThere(join(this.path, name));
        if (stats) found.set(name, computeSignature(stats));
      }
    }
    const before = this.signatures;
    this.signatures = found;
    const gone = [...before.keys()].filter((name) => !found.has(name));
    return [...gone, ...[...found].filter(([name, signature]) => before.get(name) !== signature).map(([name]) => name)];
  }

  /** Returns the present content of the file called `name`, or undefined when it does not exist. */
  async read(name: string): Promise<FileState | undefined> {
    const path = join(this.path, name);
    const stats = lstatIfThere(path);
    if (!stats) return undefined;
    if (!stats.isFile())
      return unreadable(stats.isSymbolicLink() ? 'This is a symbolic link: put the file itself here.' : NOT_REGULAR);
    let file: FileHandle | undefined;
    try {
      // Checked again on the open file, because the name can refer to another file by then.
      file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      const opened = await file.stat();
      if (!opened.isFile()) return unreadable(NOT_REGULAR);
      return decode(await readAtMost(file, opened.size, MEMBER_FILE_LIMIT + 1));
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined;
      return unreadable(`The file cannot be opened (${systemCode(error) ?? 'unknown reason'}).`);
    } finally {
      await file?.close();
    }
  }

  /**
   * Replaces the file called `name` and keeps its permissions, unless `mode` says them. Throws `file_changed` when it
   * is not a regular file, `no_space`, and `store_readonly`.
   */
  async write(name: string, text: string, mode: number | 'usual' = 'usual'): Promise<FileState> {
    if (!(await this.exists())) await mkdir(this.path, { recursive: true });
    await atomicWrite(join(this.path, name), text, mode);
    return { kind: 'text', text, revision: sha256Hex(text) };
  }

  /** Like `write`, but also replaces a link, a pipe or a device. */
  async replace(name: string, text: string): Promise<FileState> {
    const path = join(this.path, name);
    const stats = (await this.exists()) ? lstatIfThere(path) : undefined;
    if (stats && !stats.isFile() && !stats.isDirectory()) await durableUnlink(path);
    return this.write(name, text);
  }

  /** Removes the file (or link) called `name` durably. Calling it again is safe. */
  async remove(name: string): Promise<void> {
    if (await this.exists()) await durableUnlink(join(this.path, name));
  }

  /**
   * Calls `onChange` with the name of each document that may have changed, about 40 ms after its last change. Must be
   * called once. A folder that is removed and created again is detected within two seconds.
   */
  watch(onChange: (name: string) => Promise<void>): Promise<void> {
    return this.folderWatch.start(onChange);
  }

  close(): Promise<void> {
    return this.folderWatch.close();
  }

  private async names(): Promise<string[]> {
    try {
      return (await readdir(this.path)).filter(isDocumentName);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return [];
      throw error;
    }
  }
}

const NOT_REGULAR = 'This is not a regular file: put a Markdown file here.';

const unreadable = (reason: string): FileState => ({
  kind: 'unreadable',
  problem: { line: 1, column: 1, reason },
  revision: '',
});

/** Reads a file of `size` bytes, which may have grown since, up to `limit` bytes. */
async function readAtMost(file: FileHandle, size: number, limit: number): Promise<Buffer> {
  let buffer = Buffer.allocUnsafe(Math.min(limit, size + 1));
  let length = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
    length += bytesRead;
    if (bytesRead === 0 || length === limit) return buffer.subarray(0, length);
    if (length === buffer.length) buffer = Buffer.concat([buffer], Math.min(limit, 2 * length));
  }
}

function decode(bytes: Buffer): FileState {
  if (bytes.length > MEMBER_FILE_LIMIT) return unreadable('The file is larger than 256 KiB: shorten it.');
  const revision = sha256Hex(bytes);
  try {
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), revision };
  } catch {
    // The decoder reports only that it failed; the position of the first invalid byte has to be computed.
    return {
      kind: 'unreadable',
      problem: { ...firstWrongByte(bytes), reason: 'The file is not UTF-8: save it as UTF-8.' },
      revision,
    };
  }
}

/**
 * Returns the line and column of the first byte that is not UTF-8: where lossy decoding first differs from the bytes.
 */
function firstWrongByte(bytes: Buffer): { line: number; column: number } {
  const again = Buffer.from(bytes.toString('utf8'), 'utf8');
  let at = 0;
  while (at < bytes.length && bytes[at] === again[at]) at += 1;
  const before = bytes.subarray(0, at).toString('utf8').split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** A string that changes whenever the file is written or replaced. */
function computeSignature(stats: Stats): string {
  return `${stats.ino}:${stats.size}:${stats.mtimeMs}:${stats.ctimeMs}:${stats.mode}`;
}

/**
 * Synchronous: the system serves this from memory, in a tenth of the time that a hand-over to a worker thread takes.
 */
function lstatIfThere(path: string): Stats | undefined {
  try {
    return findEntry(path);
  } catch (error) {
    throw toStorageError(error);
  }
}
