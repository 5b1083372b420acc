import { join } from 'node:path';
import { isMeshError } from '../lib/errors.js';
import { findEntry, readPrivateSync, writePrivateSync } from '../private/private-file.js';
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

  /** Replaces the file atomically; it is never readable by others. */
  write(all: ReadonlyMap<string, Entry>): void {
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
    orRefusal(() => writePrivateSync(this.path, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`));
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
