import { statSync } from 'node:fs';

/**
 * Distinguishes a file from a later file with the same name; undefined when there is none. An inode number is not
 * reused while the file is held open.
 */
function getIdentity(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}

/**
 * Files that this process holds open and whose names another process can remove. Data written to such a file afterwards
 * is at no path that is ever opened again.
 */
export class HeldFiles {
  private readonly identities: readonly (readonly [path: string, identity: string])[];

  /** Covers those of `paths` that exist. */
  constructor(paths: readonly string[]) {
    this.identities = paths.flatMap((path): [string, string][] => {
      const identity = getIdentity(path);
      return identity === undefined ? [] : [[path, identity]];
    });
  }

  /** Returns the first path that refers to another file than the one opened, or to none. */
  missing(): string | undefined {
    return this.identities.find(([path, identity]) => seen(path) !== identity)?.[0];
  }
}

function seen(path: string): string | undefined {
  try {
    return getIdentity(path);
  } catch {
    // A folder on the way cannot be read: it is not known whether the file exists, and the next
    // start could not open it either.
    return undefined;
  }
}
