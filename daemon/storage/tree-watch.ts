import { lstatSync, readdirSync, readFileSync, type Stats, statfsSync, watch } from 'node:fs';
import { join } from 'node:path';

interface FolderWatch {
  close: () => void;
  on: (event: 'error', listener: () => void) => unknown;
}

export type WatchFolder = (
  path: string,
  options: { persistent: false },
  onEvent: (event: string, name: string | null) => void,
) => FolderWatch;

/**
 * `statfs` types of file systems that only this kernel changes, so that it reports every change: ext, XFS, Btrfs,
 * tmpfs, overlayfs, F2FS, ZFS, bcachefs. A network or FUSE file system can change without an event.
 */
const LOCAL = new Set([0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1, 0xca451a4e]);
/** Other programs of the user need watches too, so at most this part of them is taken. */
const SHARE = 4;
const WATCHES_MAX = 16_384;
/**
 * More events than this count as lost ones: the kernel drops events silently when their queue is full, which is always
 * longer.
 */
const EVENTS_MAX = 4_000;
const PATHS_MAX = 1_000;
const WALKED_AT_ONCE = 50;

/** Folders whose files are never listed; `.mesh` holds the daemon's own, which it writes all the time. */
const UNWATCHED = new Set(['node_modules', 'bower_components', '.git', '.venv', '__pycache__', '.mesh']);

/**
 * Notes which paths below a root have changed, with one watch a folder. It claims to know only where the kernel reports
 * every change: on Linux, on local file systems, within a quarter of the user's watches. Call `settle` before reading.
 */
export class TreeWatch {
  private readonly watchers = new Map<string, FolderWatch>();
  private changed = new Set<string>();
  private events = 0;
  private state: 'off' | 'on' | 'failed' = 'off';

  constructor(
    private readonly root: string,
    private readonly watchFolder: WatchFolder = watch,
    private readonly findLimit: () => number = readLimit,
  ) {}

  get isOn(): boolean {
    return this.state === 'on';
  }

  /** Whether watching has failed, or cannot be relied on here. It is not tried again. */
  get hasFailed(): boolean {
    return this.state === 'failed';
  }

  /** Whether nothing was reported since the last `take`. */
  get isQuiet(): boolean {
    return this.state === 'on' && this.events === 0;
  }

  /** Resolves when every change that was made before the call is noted. */
  async settle(): Promise<void> {
    // The events of a change are queued before the change returns; the second turn has polled after the call.
    for (let turn = 0; turn < 2; turn += 1) await new Promise((resume) => setImmediate(resume));
  }

  /**
   * Watches every folder below the root, except those of `isIgnored`, and no others from then on. Pauses after some
   * folders. What was changed before its end is unknown, so the caller lists the whole tree afterwards.
   */
  *follow(isIgnored: (folder: string) => boolean): Generator<void, void, void> {
    if (this.state === 'failed') return;
    const kept = new Set<string>();
    const limit = this.findLimit();
    const folders = [''];
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      if (kept.size >= limit || !this.open(folder)) return this.close();
      kept.add(folder);
      for (const name of this.foldersIn(folder)) {
        const path = folder === '' ? name : `${folder}/${name}`;
        if (!UNWATCHED.has(name) && !isIgnored(path)) folders.push(path);
      }
      if (kept.size % WALKED_AT_ONCE === 0) yield;
    }
    for (const [folder] of this.watchers) if (!kept.has(folder)) this.drop(folder);
    if (!this.hasFailed) this.state = 'on';
  }

  isWatched(folder: string): boolean {
    return this.watchers.has(folder);
  }

  /** Returns the paths reported since the last call, or undefined when any path may have changed. */
  take(): string[] | undefined {
    const { changed, events } = this;
    this.changed = new Set();
    this.events = 0;
    return this.state !== 'on' || events > EVENTS_MAX || changed.size > PATHS_MAX ? undefined : [...changed];
  }

  /** Ends watching for good. */
  close(): void {
    for (const watcher of this.watchers.values()) watcher.close();
    this.watchers.clear();
    this.state = 'failed';
  }

  /** Watches a folder. Before it is read, so that what is made in between is in its list or reported. */
  private open(folder: string): boolean {
    // A folder that was replaced has the same name and none of the events.
    this.drop(folder);
    const path = join(this.root, folder);
    try {
      if (!isLocal(path)) return false;
      const watcher = this.watchFolder(path, { persistent: false }, (_event, name) => this.note(folder, name));
      watcher.on('error', () => this.close());
      this.watchers.set(folder, watcher);
      return true;
    } catch (error) {
      // A folder that is gone again has been reported by the one that held it.
      return folder !== '' && (error as NodeJS.ErrnoException).code === 'ENOENT';
    }
  }

  private drop(folder: string): void {
    this.watchers.get(folder)?.close();
    this.watchers.delete(folder);
  }

  private note(folder: string, name: string | null): void {
    this.events += name === null ? EVENTS_MAX + 1 : 1;
    if (name !== null && this.changed.size <= PATHS_MAX) this.changed.add(folder === '' ? name : `${folder}/${name}`);
  }

  private foldersIn(folder: string): string[] {
    try {
      const entries = readdirSync(join(this.root, folder), { withFileTypes: true });
      // A repository within this one belongs to itself: its files are not listed.
      if (folder !== '' && entries.some(({ name }) => name === '.git')) return [];
      return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    } catch {
      return [];
    }
  }
}

function isLocal(path: string): boolean {
  return process.platform === 'linux' && LOCAL.has(statfsSync(path).type >>> 0);
}

/** Returns how many folders may be watched where the user has `watches`, as the system prints it. */
export function getLimit(watches: string): number {
  const all = Number(watches);
  return Number.isInteger(all) ? Math.min(WATCHES_MAX, Math.floor(all / SHARE)) : 0;
}

function readLimit(): number {
  try {
    return getLimit(readFileSync('/proc/sys/fs/inotify/max_user_watches', 'utf8'));
  } catch {
    return 0;
  }
}

/** Returns what stands at `path`, or undefined. */
export function look(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    // A parent that is a file now, or not permitted.
    return undefined;
  }
}
