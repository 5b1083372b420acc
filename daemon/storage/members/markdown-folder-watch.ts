import { lstat } from 'node:fs/promises';
import { basename } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import { getErrorMessage, systemCode } from '../../lib/errors.js';

export type WatchPaths = typeof watch;
/** How changes are detected: by file system events, or only by polling every two seconds, with the reason. */
export type Watching = { mode: 'notices' } | { mode: 'polling'; reason: string };

/**
 * Merges a burst of events about one file into one change, and lets an editor finish that deletes or empties a file
 * before it writes it anew. Short enough that an edit takes effect well within 300 ms.
 */
const DEBOUNCE_MS = 40;
const RESCAN_MS = 2_000;

/**
 * Detects changes in one folder by file system events, and by a poll every two seconds for changes that the events
 * miss. It uses real timers on purpose: they pace the disk, not the daemon's own clock.
 */
export class FolderWatch {
  watching: Watching = { mode: 'polling', reason: 'Not started.' };
  private watcher: FSWatcher | undefined;
  private watched: string | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly pending = new Map<string, NodeJS.Timeout>();
  private onChange: ((name: string) => Promise<void>) | undefined;
  private looking = Promise.resolve();
  private lastWarning = '';
  private cannotWatch = false;

  constructor(
    private readonly path: string,
    private readonly rescan: () => Promise<string[]>,
    private readonly isDocument: (name: string) => boolean,
    private readonly warn: (message: string) => void,
    private readonly watchPaths: WatchPaths = watch,
  ) {}

  async start(onChange: (name: string) => Promise<void>): Promise<void> {
    if (this.onChange) return;
    this.onChange = onChange;
    await this.attach();
    this.timer = setInterval(() => {
      this.looking = this.looking.then(() => this.look());
    }, RESCAN_MS);
    this.timer.unref();
  }

  async close(): Promise<void> {
    this.onChange = undefined;
    clearInterval(this.timer);
    for (const timeout of this.pending.values()) clearTimeout(timeout);
    this.pending.clear();
    await this.looking;
    await this.watcher?.close();
    this.watcher = undefined;
  }

  /** Watches the folder that has the path at present. A folder that was replaced has another identity. */
  private async attach(): Promise<void> {
    const identity = await getIdentity(this.path);
    if (identity === this.watched || this.cannotWatch) return;
    await this.watcher?.close();
    this.watcher = undefined;
    this.watched = identity;
    if (identity === undefined || !this.onChange) return;
    const watcher = this.watchPaths(this.path, { depth: 0, followSymlinks: false, ignoreInitial: true, atomic: false });
    this.watcher = watcher;
    watcher.on('all', (_event, path) => this.notice(basename(path)));
    // The watcher's processed events are rate-limited per folder and miss a file that is replaced twice in a
    // second. The raw events are not.
    watcher.on('raw', (_event, path) => this.notice(basename(path ?? '')));
    watcher.on('error', (error) => this.onError(watcher, error));
    this.watching = { mode: 'notices' };
    await new Promise<void>((resolve) => {
      watcher.once('ready', resolve);
      watcher.once('error', () => resolve());
    });
  }

  private onError(watcher: FSWatcher, error: unknown): void {
    const code = systemCode(error);
    if (code !== 'ENOSPC' && code !== 'EMFILE' && code !== 'ENFILE') {
      this.warnOnce(`Watching ${this.path}: ${getErrorMessage(error)}`);
      return;
    }
    this.cannotWatch = true;
    this.watching = {
      mode: 'polling',
      reason:
        `The system has no file watches left (${code}); changes are noticed within two seconds. Raise ` +
        'fs.inotify.max_user_watches and restart.',
    };
    this.warnOnce(`Watching ${this.path}: ${this.watching.reason}`);
    // A watcher that is closed inside its own handler keeps the process from ending.
    setImmediate(() => {
      if (this.watcher === watcher) this.watcher = undefined;
      void watcher.close();
    });
  }

  private notice(name: string): void {
    if (!this.isDocument(name)) return;
    clearTimeout(this.pending.get(name));
    this.pending.set(
      name,
      setTimeout(() => {
        this.pending.delete(name);
        this.onChange?.(name).catch((error) => this.warn(`Reading ${name}: ${getErrorMessage(error)}`));
      }, DEBOUNCE_MS),
    );
  }

  private async look(): Promise<void> {
    try {
      for (const name of await this.rescan()) this.notice(name);
      if (this.onChange) await this.attach();
      this.lastWarning = '';
    } catch (error) {
      this.warnOnce(`Looking at ${this.path}: ${getErrorMessage(error)}`);
    }
  }

  private warnOnce(message: string): void {
    if (message === this.lastWarning) return;
    this.lastWarning = message;
    this.warn(message);
  }
}

async function getIdentity(path: string): Promise<string | undefined> {
  try {
    const stats = await lstat(path);
    // A new folder can reuse the inode number of the one it replaces, but not its birth time.
    return stats.isDirectory() ? `${stats.dev}:${stats.ino}:${stats.birthtimeMs}` : undefined;
  } catch {
    // A folder that cannot be examined, for whatever reason, cannot be watched at present. The next poll tries again.
    return undefined;
  }
}
