import { rmSync } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DaemonFile } from '../contract/daemon-file.js';
import { parseDaemonFile } from '../lib/crypto/daemon-proof.js';
import { entryName, isEntryName, type ProjectEntry, parseEntry } from '../lib/project-entry.js';
import { atomicWrite, ensureDirectory } from './files/atomic-write.js';
import { readOwnFile } from './files/own-file.js';

/**
 * The entries of this user's running daemons: one small file (0600) each, in a folder (0700) outside every project. A
 * file that is not this user's own, for example a link, is ignored.
 */
export class ProjectEntries {
  constructor(
    private readonly folder: string,
    private readonly ownUid: number | undefined,
  ) {}

  /**
   * Writes the entry of a project and replaces an older one. Throws `forbidden` when the folder is a link,
   * `no_space`, and `store_readonly`.
   */
  async write(entry: ProjectEntry): Promise<void> {
    await ensureDirectory(this.folder, 0o700);
    await atomicWrite(join(this.folder, entryName(entry.root)), `${JSON.stringify(entry, null, 2)}\n`, 0o600);
  }

  /** Removes the entry of a project synchronously, for a process that is about to end. Calling it again is safe. */
  remove(root: string): void {
    rmSync(join(this.folder, entryName(root)), { force: true });
  }

  /** Returns every valid entry. Files with the name of an entry that are invalid are removed. */
  async list(): Promise<ProjectEntry[]> {
    if (!(await this.isOurs())) return [];
    const names = (await readdir(this.folder)).filter(isEntryName);
    const entries = await Promise.all(names.map((name) => this.read(name)));
    return entries.filter((entry) => entry !== undefined);
  }

  /** Removes an entry whose daemon has ended, unless a newer entry has replaced it since it was read. */
  async sweep(entry: ProjectEntry): Promise<void> {
    const name = entryName(entry.root);
    const text = await readOwnFile(join(this.folder, name), this.ownUid);
    const found = text === undefined ? undefined : parseEntry(name, text);
    if (found?.pid === entry.pid && found.started_at === entry.started_at)
      await rm(join(this.folder, name), { force: true });
  }

  private async read(name: string): Promise<ProjectEntry | undefined> {
    const path = join(this.folder, name);
    const text = await readOwnFile(path, this.ownUid);
    const entry = text === undefined ? undefined : parseEntry(name, text);
    // A folder in its place is left alone.
    if (!entry) await rm(path, { force: true }).catch(() => undefined);
    return entry;
  }

  private async isOurs(): Promise<boolean> {
    const found = await lstat(this.folder).catch(() => undefined);
    return found?.isDirectory() === true && (this.ownUid === undefined || found.uid === this.ownUid);
  }
}

/**
 * Returns what the daemon of the project at `root` wrote about itself, or undefined when no daemon of this user has,
 * because a clone could contain such a file.
 */
export async function readForeignDaemonFile(root: string, ownUid: number | undefined): Promise<DaemonFile | undefined> {
  const text = await readOwnFile(join(root, '.mesh', 'state', 'daemon.json'), ownUid);
  return text === undefined ? undefined : parseDaemonFile(text);
}
