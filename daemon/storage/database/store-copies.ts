import { randomBytes } from 'node:crypto';
import { constants, type ReadStream } from 'node:fs';
import { open, readdir, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from './database.js';

const OPEN = /^\.copy-[0-9a-f]{16}\.db(-journal)?$/;

/** A copy of the store whose file is already unlinked: nothing of it remains once the stream is closed. */
interface StoreCopy {
  bytes: number;
  contents: ReadStream;
}

/** Makes copies of the running daemon's store in its state folder, one after the other. */
export class StoreCopies {
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly folder: string,
  ) {}

  /** Throws `store_readonly` when the store is damaged. */
  make(): Promise<StoreCopy> {
    const made = this.last.then(() => this.copy());
    this.last = made.catch(() => undefined);
    return made;
  }

  private async copy(): Promise<StoreCopy> {
    // Removes the copies that a killed daemon left.
    for (const name of await readdir(this.folder)) if (OPEN.test(name)) await unlink(join(this.folder, name));
    const path = join(this.folder, `.copy-${randomBytes(8).toString('hex')}.db`);
    await this.database.copyTo(path).catch(async (error: unknown) => {
      await rm(path, { force: true });
      throw error;
    });
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    await unlink(path);
    return { bytes: (await file.stat()).size, contents: file.createReadStream() };
  }
}
