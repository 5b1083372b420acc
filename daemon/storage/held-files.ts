import { statSync } from 'node:fs';

/** What tells a file from another that bears its name later; undefined when there is none. A number is not given again while the file is held open. */
function identityOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}

/** Files that this process holds open, whose names somebody else can take away: what is written to them then is on no path that is ever opened again. */
export class HeldFiles {
  private readonly identities: readonly (readonly [path: string, identity: string])[];

  /** Those of `paths` that are there. */
  constructor(paths: readonly string[]) {
    this.identities = paths.flatMap((path): [string, string][] => {
      const identity = identityOf(path);
      return identity === undefined ? [] : [[path, identity]];
    });
  }

  /** The first that its name does not lead to any more. */
  missing(): string | undefined {
    return this.identities.find(([path, identity]) => seen(path) !== identity)?.[0];
  }
}

function seen(path: string): string | undefined {
  try {
    return identityOf(path);
  } catch {
    // A folder on the way cannot be looked into: whether the file is there is not known, and the next start could not open it either.
    return undefined;
  }
}
