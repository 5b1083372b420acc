import { lstat, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { sha256Hex } from '../../lib/crypto/digests.js';
import { ensureDirectory } from '../files/atomic-write.js';
import { followedPath } from '../files/followed-path.js';

/** How the ids of conversations begin. */
const PREFIX = 'conv-';

/** The folder with the worktrees of one project, outside of it and for this user alone. */
export class WorktreeFolders {
  readonly path: string;

  /** `state` is the user's state folder; `root` the project. */
  constructor(
    private readonly state: string,
    root: string,
  ) {
    const name = basename(root)
      .replace(/[^\w.-]+/g, '-')
      .slice(0, 40);
    this.path = join(state, 'worktrees', `${name}-${sha256Hex(root).slice(0, 12)}`);
  }

  /** The folder for what the daemon gives the programs of agents. */
  get guardFolder(): string {
    return join(this.path, 'agents');
  }

  /** The path of a conversation's worktree. */
  pathOf(conv: string): string {
    return join(this.path, conv);
  }

  /** Whether `path` is that of the conversation's worktree in this project: a stored one may come from anywhere. */
  isOwn(conv: string, path: string): boolean {
    return path === this.pathOf(conv) && dirname(path) === this.path && conv.startsWith(PREFIX);
  }

  /** Whether `path` is that of the conversation's worktree in any project of this user, with or without links in it. */
  isOfUser(conv: string, path: string): boolean {
    const isNamed = conv.startsWith(PREFIX) && basename(path) === conv;
    const above = dirname(dirname(path));
    return isNamed && (followedPath(above) ?? above) === followedPath(join(this.state, 'worktrees'));
  }

  /** Whether anything is at `path`. */
  async isThere(path: string): Promise<boolean> {
    return (await lstat(path).catch(() => undefined)) !== undefined;
  }

  /** Creates the folder (0700). Throws `forbidden` when it is a link, and `no_space`. */
  async prepare(): Promise<void> {
    await ensureDirectory(join(this.state, 'worktrees'), 0o700);
    await ensureDirectory(this.path, 0o700);
  }

  /** Returns the names of the conversations whose worktree's folder exists. */
  async list(): Promise<string[]> {
    const entries = await readdir(this.path, { withFileTypes: true }).catch(() => []);
    return entries.filter((entry) => entry.isDirectory() && entry.name.startsWith(PREFIX)).map(({ name }) => name);
  }

  async has(conv: string): Promise<boolean> {
    return (await lstat(this.pathOf(conv)).catch(() => undefined))?.isDirectory() === true;
  }

  async remove(conv: string): Promise<void> {
    await rm(this.pathOf(conv), { recursive: true, force: true, maxRetries: 3 });
  }

  /** Returns the bytes on disk of a conversation's worktree. Links are not followed. */
  diskBytes(conv: string): Promise<number> {
    return bytesBelow(this.pathOf(conv));
  }
}

async function bytesBelow(folder: string): Promise<number> {
  let bytes = 0;
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const path = next;
    // What is removed meanwhile has no size.
    const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
    const sizes = await Promise.all(
      entries.map(async (entry) => {
        if (entry.isDirectory()) folders.push(join(path, entry.name));
        const found = await lstat(join(path, entry.name)).catch(() => undefined);
        return (found?.blocks ?? 0) * 512;
      }),
    );
    for (const size of sizes) bytes += size;
  }
  return bytes;
}
