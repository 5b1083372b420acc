import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { systemCode } from '../../lib/errors.js';
import { ensureDirectory, syncDirectory } from './atomic-write.js';

/** A folder of files that are too large to be held in memory. Each is written once, and only the user may read it. */
export class StreamedCopies {
  constructor(
    private readonly folder: string,
    /** The ending of their names; what is half-written has another one. */
    private readonly ending: string,
  ) {}

  /** Writes a file, durable when it resolves. */
  async write(name: string, bytes: Readable): Promise<void> {
    await ensureDirectory(this.folder, 0o700);
    const path = join(this.folder, name + this.ending);
    await pipeline(bytes, createWriteStream(`${path}.new`, { mode: 0o600, flush: true }));
    await rename(`${path}.new`, path);
    await syncDirectory(this.folder);
  }

  /** Their names without the ending, in order. */
  async list(): Promise<string[]> {
    try {
      const names = await readdir(this.folder);
      return names
        .filter((name) => name.endsWith(this.ending))
        .map((name) => name.slice(0, -this.ending.length))
        .sort();
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return [];
      throw error;
    }
  }

  /** Removes a file, also a half-written one, if there is one. */
  async remove(name: string): Promise<void> {
    const path = join(this.folder, name + this.ending);
    for (const one of [path, `${path}.new`]) await rm(one, { force: true });
  }

  read(name: string): Readable {
    return createReadStream(join(this.folder, name + this.ending));
  }
}
