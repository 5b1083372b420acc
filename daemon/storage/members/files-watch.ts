import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { FolderWatch, type WatchPaths } from './markdown-folder-watch.js';

interface FollowedFolder {
  names: Set<string>;
  /** What the files are like that were followed at the last look, by name. */
  signatures: Map<string, string>;
  watch: FolderWatch;
}

/**
 * Detects that single files below one root were changed, created or removed by any process, with file system events and
 * a poll every two seconds. It reports only which path may have changed; the caller reads the file and refuses links.
 */
export class FilesWatch {
  private readonly folders = new Map<string, FollowedFolder>();
  private turn: Promise<void> = Promise.resolve();
  private isClosed = false;

  /** `onChange` receives the path relative to the root. */
  constructor(
    private readonly root: string,
    private readonly onChange: (path: string) => Promise<void>,
    private readonly warn: (message: string) => void,
    private readonly watchPaths?: WatchPaths,
  ) {}

  /** Watches exactly `paths` from this call on. Resolves once each of their existing folders is watched. */
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
      if (!known) await this.open(folder, names);
      else {
        known.names = names;
        await this.learn(folder, known);
      }
    }
  }

  /** Notes what the files are like that are followed from now on, so that the next look can tell a change. */
  private async learn(folder: string, { names, signatures }: FollowedFolder): Promise<void> {
    for (const name of signatures.keys()) if (!names.has(name)) signatures.delete(name);
    for (const name of names)
      if (!signatures.has(name)) signatures.set(name, await computeSignature(join(this.root, folder, name)));
  }

  private async open(folder: string, names: Set<string>): Promise<void> {
    const path = join(this.root, folder);
    const rescan = async () => {
      const moved: string[] = [];
      for (const name of followed.names) {
        const signature = await computeSignature(join(path, name));
        const before = followed.signatures.get(name);
        if (before !== undefined && before !== signature) moved.push(name);
        followed.signatures.set(name, signature);
      }
      return moved;
    };
    const followed: FollowedFolder = {
      names,
      signatures: new Map(),
      watch: new FolderWatch(path, rescan, (name) => followed.names.has(name), this.warn, this.watchPaths),
    };
    this.folders.set(folder, followed);
    await this.learn(folder, followed);
    await followed.watch.start((name) => this.onChange(folder === '' ? name : `${folder}/${name}`));
  }
}

/**
 * A string that changes whenever the file is written, replaced or removed; empty when it does not
 * exist or cannot be examined.
 */
async function computeSignature(path: string): Promise<string> {
  return lstat(path).then(
    ({ ino, size, mtimeMs, ctimeMs, mode }) => `${ino}:${size}:${mtimeMs}:${ctimeMs}:${mode}`,
    () => '',
  );
}
