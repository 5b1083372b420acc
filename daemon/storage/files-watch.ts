import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { FolderWatch, type WatchPaths } from './markdown-folder-watch.js';

interface FollowedFolder {
  names: Set<string>;
  watch: FolderWatch;
}

/**
 * Notices that single files below one root changed, came or went, whoever wrote them: by the file system's notices, and beside them a look every two
 * seconds. Only says which path it may have been; reading it is the caller's, as is refusing links.
 */
export class FilesWatch {
  private readonly folders = new Map<string, FollowedFolder>();
  private turn: Promise<void> = Promise.resolve();
  private isClosed = false;

  /** `onChange` is told the path, relative to the root. */
  constructor(
    private readonly root: string,
    private readonly onChange: (path: string) => Promise<void>,
    private readonly warn: (message: string) => void,
    private readonly watchPaths?: WatchPaths,
  ) {}

  /** Follows exactly `paths` from now on. Resolves once each of their folders that is there is watched. */
  follow(paths: readonly string[]): Promise<void> {
    this.turn = this.turn.then(() => this.followInTurn(paths));
    return this.turn;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.turn;
    await Promise.all([...this.folders.values()].map(({ watch }) => watch.close()));
    this.folders.clear();
  }

  private async followInTurn(paths: readonly string[]): Promise<void> {
    if (this.isClosed) return;
    const wanted = new Map<string, Set<string>>();
    for (const path of paths) {
      const slash = path.lastIndexOf('/');
      const folder = path.slice(0, Math.max(0, slash));
      wanted.set(folder, (wanted.get(folder) ?? new Set()).add(path.slice(slash + 1)));
    }
    for (const [folder, { watch }] of this.folders) {
      if (wanted.has(folder)) continue;
      this.folders.delete(folder);
      await watch.close();
    }
    for (const [folder, names] of wanted) {
      const known = this.folders.get(folder);
      if (known) known.names = names;
      else await this.open(folder, names);
    }
  }

  private async open(folder: string, names: Set<string>): Promise<void> {
    const path = join(this.root, folder);
    const signatures = new Map<string, string>();
    const rescan = async () => {
      const moved: string[] = [];
      for (const name of followed.names) {
        const signature = await signatureOf(join(path, name));
        if (signatures.has(name) && signatures.get(name) !== signature) moved.push(name);
        signatures.set(name, signature);
      }
      return moved;
    };
    const followed: FollowedFolder = {
      names,
      watch: new FolderWatch(path, rescan, (name) => followed.names.has(name), this.warn, this.watchPaths),
    };
    this.folders.set(folder, followed);
    await rescan();
    await followed.watch.start((name) => this.onChange(folder === '' ? name : `${folder}/${name}`));
  }
}

/** Changes whenever the file is written, replaced or removed; empty when there is none, or it may not be looked at. */
async function signatureOf(path: string): Promise<string> {
  return lstat(path).then(
    ({ ino, size, mtimeMs, ctimeMs, mode }) => `${ino}:${size}:${mtimeMs}:${ctimeMs}:${mode}`,
    () => '',
  );
}
