import { closeSync, constants, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isMeshError, systemCode } from '../lib/errors.js';
import { findEntry, openPrivateSync, readPrivateSync, writePrivateSync } from '../private/private-file.js';
import { type CredentialName, inCredentials } from '../private/private-names.js';
import { isOwnState } from './daemon/project.js';
import { CommandError, EXIT } from './exit-codes.js';

/** Converts a MeshError, such as that for a path that is not a regular file of this user, to a CommandError. */
function orRefusal<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (isMeshError(error)) throw new CommandError(EXIT.refused, error.message, error.code);
    throw error;
  }
}

const CREATED = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY;
const TRY_AGAIN_MS = 20;
/** A change takes milliseconds: a lock of this age was left by a process that was killed. */
const ABANDONED_MS = 10_000;

/** Runs `work` while no other process does so for the same `lock`. Blocks until then. */
function holding<T>(lock: string, work: () => T): T {
  for (;;) {
    try {
      closeSync(openPrivateSync(lock, CREATED) as number);
      break;
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
      const madeAt = findEntry(lock)?.mtimeMs;
      if (madeAt !== undefined && Date.now() - madeAt > ABANDONED_MS) rmSync(lock, { force: true });
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TRY_AGAIN_MS);
    }
  }
  try {
    return work();
  } finally {
    rmSync(lock, { force: true });
  }
}

/**
 * A file of secrets in the project's `.mesh/credentials`: an object of entries that only its owner can read. Throws
 * `forbidden` when the path is not a regular file of this user, and `damaged` when an entry fails `isEntry`. In both
 * cases the file is not overwritten, and no message quotes it.
 */
export class SecretsFile<Entry> {
  readonly path: string;
  private readonly folder: string;

  constructor(
    private readonly root: string,
    name: CredentialName,
    private readonly isEntry: (value: unknown) => value is Entry,
  ) {
    this.folder = join(root, '.mesh', 'credentials');
    this.path = inCredentials(this.folder, name);
  }

  /** Returns an empty map when there is no file, and for secrets that this machine did not make. */
  read(): Map<string, Entry> {
    const text = isOwnState(this.root) ? orRefusal(() => readPrivateSync(this.path)) : undefined;
    return text === undefined ? new Map() : this.parse(text);
  }

  /**
   * Passes the entries to `edit` and replaces the file atomically if that returns true; the result is that of `edit`.
   * No change of another process is lost. The file is never readable by others.
   */
  change(edit: (all: Map<string, Entry>) => boolean): boolean {
    this.refuseUnlessOwn();
    return orRefusal(() =>
      holding(join(this.folder, `.${basename(this.path)}.lock`), () => {
        const all = this.read();
        const isChanged = edit(all);
        if (isChanged) writePrivateSync(this.path, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`);
        return isChanged;
      }),
    );
  }

  private refuseUnlessOwn(): void {
    if (!isOwnState(this.root))
      throw new CommandError(
        EXIT.refused,
        `${this.folder} was not made by this machine: run \`meshd up\` first, which sets it aside.`,
        'forbidden',
      );
    if (!findEntry(this.folder)?.isDirectory())
      throw new CommandError(
        EXIT.refused,
        `${this.folder} must be a folder of this project, not a link: replace it.`,
        'forbidden',
      );
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
      // The message of the parser quotes the text, which is secret.
      throw new CommandError(EXIT.failed, `${this.path} is damaged: fix it, or remove it to start it anew.`, 'damaged');
    }
  }
}
