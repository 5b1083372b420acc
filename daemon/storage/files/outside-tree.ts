import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync, type Stats, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as waitForTick } from 'node:timers/promises';
import { MeshError } from '../../lib/errors.js';
import type { ReadingTools } from '../members/project-tools.js';

/** Files handled between two pauses, so that the rest of the daemon is not blocked. */
const AT_ONCE = 32;
/** The same amount of text as the index accepts. */
const TEXT_MAX_CHARS = 256 * 1024 * 1024;
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

interface OutsideTreeOptions {
  root: string;
  /** Folder for the copies; it must be used for nothing else. */
  folder: string;
  /** The files that other programs may read. */
  project: Pick<ReadingTools, 'paths' | 'lines'>;
}

/**
 * A folder with copies of the project's files as other programs may read them: tracked text files without files of
 * secrets, with lines that look like secrets withheld. Agent programs read the disk themselves; when they serve other
 * programs' requests, this folder is their project. It is a git repository of its own, without a commit, so that a
 * search for a repository does not find the project's.
 */
export class OutsideTree {
  private readonly copied = new Map<string, { source: string; copy: string }>();
  private last: Promise<unknown> = Promise.resolve();
  private isBegun = false;

  constructor(private readonly options: OutsideTreeOptions) {}

  /**
   * Updates the copies and returns their folder. Throws `forbidden` while git cannot tell what it
   * tracks, and the errors of writing.
   */
  prepare(): Promise<string> {
    const prepared = this.last.then(() => this.bring());
    this.last = prepared.catch(() => undefined);
    return prepared;
  }

  private async bring(): Promise<string> {
    const { folder, project, root } = this.options;
    const paths = new Set(await project.paths());
    if (!this.isBegun) this.begin();
    this.sweep('', paths);
    let chars = 0;
    let count = 0;
    for (const path of paths) {
      count += 1;
      if (count % AT_ONCE === 0) await waitForTick();
      const source = computeStamp(lstatSync(join(root, path), { throwIfNoEntry: false }));
      const known = this.copied.get(path);
      if (source === undefined || known?.source === source) continue;
      const lines = await this.lines(path);
      chars += lines?.reduce((sum, line) => sum + line.length, 0) ?? 0;
      if (lines === undefined || chars > TEXT_MAX_CHARS) this.remove(path);
      else this.copied.set(path, { source, copy: this.write(path, `${lines.join('\n')}\n`) });
    }
    return folder;
  }

  /** Discards all files of an earlier daemon, because their origin is not known. */
  private begin(): void {
    const { folder } = this.options;
    rmSync(folder, { recursive: true, force: true });
    this.copied.clear();
    mkdirSync(folder, { mode: FOLDER_MODE });
    for (const name of ['objects', 'refs'])
      mkdirSync(join(folder, '.git', name), { recursive: true, mode: FOLDER_MODE });
    writeFileSync(join(folder, '.git/HEAD'), 'ref: refs/heads/main\n', { mode: FILE_MODE });
    writeFileSync(join(folder, '.git/config'), '[core]\n\trepositoryformatversion = 0\n\tbare = false\n', {
      mode: FILE_MODE,
    });
    this.isBegun = true;
  }

  /**
   * Removes every file that is not an unmodified copy of this tree, and copies of files that may not be read any more.
   */
  private sweep(below: string, paths: ReadonlySet<string>): void {
    const { folder } = this.options;
    for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (path === '.git') continue;
      // A folder in the place of a copy goes with all that is in it.
      if (entry.isDirectory() && !paths.has(path)) this.sweep(path, paths);
      else if (!paths.has(path) || !this.isOurs(path)) this.remove(path);
    }
    for (const path of below === '' ? [...this.copied.keys()] : []) if (!this.isOurs(path)) this.copied.delete(path);
  }

  private isOurs(path: string): boolean {
    const copy = this.copied.get(path)?.copy;
    return copy !== undefined && computeStamp(lstatSync(this.at(path), { throwIfNoEntry: false })) === copy;
  }

  private remove(path: string): void {
    this.copied.delete(path);
    rmSync(this.at(path), { force: true, recursive: true });
  }

  private async lines(path: string): Promise<readonly string[] | undefined> {
    try {
      return await this.options.project.lines(path);
    } catch (error) {
      // Removed since it was listed, or not text.
      if (error instanceof MeshError) return undefined;
      throw error;
    }
  }

  private write(path: string, text: string): string {
    const target = this.at(path);
    mkdirSync(dirname(target), { recursive: true, mode: FOLDER_MODE });
    const incoming = join(this.options.folder, '.git', 'incoming');
    rmSync(incoming, { force: true, recursive: true });
    writeFileSync(incoming, text, { mode: FILE_MODE, flag: 'wx' });
    renameSync(incoming, target);
    return computeStamp(lstatSync(target)) as string;
  }

  private readonly at = (path: string) => join(this.options.folder, path);
}

/** Identifies one state of a file; undefined for anything but a regular file. */
function computeStamp(stat: Stats | undefined): string | undefined {
  return stat?.isFile() ? [stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs].join() : undefined;
}
