import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../lib/errors.js';

/** The folder of the built dashboard, with in-memory copies of the assets that were served from it. */
export class BuiltUi {
  private readonly copies = new Map<string, Buffer>();
  private readonly atStart: string;

  /** `folder` is absolute. */
  constructor(readonly folder: string) {
    this.atStart = this.stamp();
  }

  /** Whether another build has taken the place of the one that was there at the start. */
  isReplaced(): boolean {
    return this.stamp() !== this.atStart;
  }

  /** Returns the built page; undefined when it does not exist. */
  async readPage(): Promise<string | undefined> {
    try {
      return await readFile(join(this.folder, 'index.html'), 'utf8');
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Copies the asset at the absolute path `file` on the first call. All assets together are about 1.5 MB. */
  async keepCopy(file: string): Promise<void> {
    if (!this.copies.has(file)) this.copies.set(file, await readFile(file));
  }

  /** Returns the copy of the asset at `path`, relative to the folder. */
  findCopy(path: string): Buffer | undefined {
    return this.copies.get(join(this.folder, path));
  }

  /** Identifies the built page. npm gives the files of each package the same time. */
  private stamp(): string {
    const found = statSync(join(this.folder, 'index.html'), { throwIfNoEntry: false });
    return [found?.ino, found?.size, found?.mtimeMs].join();
  }
}
