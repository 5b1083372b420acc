import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { CommandFailure, EXIT } from './exit-codes.js';

/**
 * One file of secrets in the project's `.mesh/credentials`, an object of entries that only its owner can read. Throws `forbidden` when something else
 * stands in the file's place, `damaged` when an entry is not what `isEntry` says; it is never overwritten then, and no message quotes it.
 */
export class SecretsFile<Entry> {
  readonly path: string;
  private readonly folder: string;

  constructor(
    root: string,
    name: string,
    private readonly isEntry: (value: unknown) => value is Entry,
  ) {
    this.folder = join(root, '.mesh', 'credentials');
    this.path = join(this.folder, name);
  }

  /** Empty when there is no file. */
  read(): Map<string, Entry> {
    let text: string;
    try {
      const file = openSync(this.path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      try {
        const { uid, mode } = fstatSync(file);
        if (process.getuid !== undefined && uid !== process.getuid()) throw this.notOurs();
        if ((mode & 0o077) !== 0) chmodSync(this.path, 0o600);
        text = readFileSync(file, 'utf8');
      } finally {
        closeSync(file);
      }
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'ENOENT') return new Map();
      if (code === 'ELOOP' || code === 'EISDIR') throw this.notOurs();
      throw error;
    }
    return this.parse(text);
  }

  /** Old content or new, never a part, and never readable by others. */
  write(all: ReadonlyMap<string, Entry>): void {
    const found = lstatSync(this.folder, { throwIfNoEntry: false });
    if (!found?.isDirectory())
      throw new CommandFailure(
        EXIT.refused,
        `${this.folder} must be a folder of this project, not a link: mend it.`,
        'forbidden',
      );
    const temporary = join(this.folder, `.${randomBytes(8).toString('hex')}.tmp`);
    const file = openSync(
      temporary,
      constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW,
      0o600,
    );
    try {
      writeSync(file, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`);
      fsyncSync(file);
      closeSync(file);
      renameSync(temporary, this.path);
    } catch (error) {
      unlinkSync(temporary);
      throw error;
    }
  }

  private parse(text: string): Map<string, Entry> {
    try {
      const entries = Object.entries(JSON.parse(text) as Record<string, unknown>);
      return new Map(
        entries.map(([key, value]): [string, Entry] => {
          if (!this.isEntry(value)) throw new TypeError();
          return [key, value];
        }),
      );
    } catch {
      // The parser's own message quotes the text, which is secret.
      throw new CommandFailure(
        EXIT.failed,
        `${this.path} is damaged: mend it, or remove it to start it anew.`,
        'damaged',
      );
    }
  }

  private notOurs(): CommandFailure {
    return new CommandFailure(
      EXIT.refused,
      `${this.path} must be a file of yours, not a link: remove it.`,
      'forbidden',
    );
  }
}
