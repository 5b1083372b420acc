import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Hex } from '../lib/digests.js';
import { messageOf } from '../lib/errors.js';
import { findEntry, readPrivateSync, writePrivateSync } from './private-file.js';
import { inState } from './private-names.js';

const ID = /^[0-9a-f]{32}\n?$/;

/** What a start that is just beginning has made: another one beside it must not take that for a stranger's. */
const NOTHING_YET = /^(?:\.gitignore|\.[0-9a-f]{16}\.tmp)$/;

/** What this user's state folder knows of one project's state: where it was last, and which folder it was. */
interface KnownState {
  root: string;
  device: number;
  inode: number;
}

/** Whose the state of a project is: this machine's own, a copy of another project's, or unknown. */
export type Ownership = 'own' | 'copy' | 'unknown';

const stateOf = (root: string) => join(root, '.mesh', 'state');

/** The id in a project's state folder, or undefined when it has none that may be read. */
function readId(root: string): string | undefined {
  try {
    const text = readPrivateSync(inState(stateOf(root), 'id'));
    return text !== undefined && ID.test(text) ? text.trim() : undefined;
  } catch {
    // A link, a pipe, another user's file: whoever put it there was not this daemon.
    return undefined;
  }
}

/**
 * The states that this machine made, in the user's own folder outside every project: one small file (0600) for each, named after the digest of the
 * random id in the project's `.mesh/state/id`. A repository can bring an id, but none that is known here.
 */
export class StateOwner {
  /** `folder` is the user's state folder of meshd; undefined for a user without a home, to whom nothing is known. */
  constructor(private readonly folder: string | undefined) {}

  /** Whether anything can be remembered. */
  get hasMemory(): boolean {
    return this.folder !== undefined;
  }

  /**
   * Whose the state at `root` is. The same id at two places that both hold it is a copy: the one that is known keeps it. A project that was moved or
   * renamed stays its owner's.
   */
  judge(root: string): Ownership {
    const id = readId(root);
    const known = id === undefined ? undefined : this.find(id);
    if (id === undefined || known === undefined) return 'unknown';
    if (known.root === root) return 'own';
    const found = findEntry(stateOf(root));
    if (found?.ino === known.inode && found.dev === known.device) return 'own';
    return readId(known.root) === id ? 'copy' : 'own';
  }

  /**
   * Makes the state at `root` this machine's own: gives it a new id unless it has one that is known for it, and remembers where it is. Who
   * remembers nothing leaves the id that is there, which may be known to a start with a home. The folder `.mesh/state` must be there. Gives why it
   * cannot be remembered, or undefined.
   */
  claim(root: string): string | undefined {
    const present = !this.hasMemory || this.judge(root) === 'own' ? readId(root) : undefined;
    const id = present ?? randomBytes(16).toString('hex');
    // Remembered before it is written, so that a kill in between leaves no state that nobody knows.
    const problem = this.remember(id, root);
    if (present === undefined) writePrivateSync(inState(stateOf(root), 'id'), `${id}\n`);
    return problem;
  }

  /** Gives why it cannot be remembered, or undefined. */
  private remember(id: string, root: string): string | undefined {
    if (this.folder === undefined) return 'this user has no home folder';
    const { dev, ino } = lstatSync(stateOf(root));
    const known = this.find(id);
    if (known?.root === root && known.inode === ino && known.device === dev) return undefined;
    try {
      mkdirSync(join(this.folder, 'states'), { recursive: true, mode: 0o700 });
      writePrivateSync(this.pathOf(id), `${JSON.stringify({ root, device: dev, inode: ino } satisfies KnownState)}\n`);
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  }

  private find(id: string): KnownState | undefined {
    if (this.folder === undefined) return undefined;
    try {
      const known = JSON.parse(readPrivateSync(this.pathOf(id)) ?? 'null') as KnownState | null;
      const isOne = typeof known?.root === 'string' && Number.isInteger(known.device) && Number.isInteger(known.inode);
      return isOne ? known : undefined;
    } catch {
      // Torn or not ours: as good as none, and what it is about can be adopted.
      return undefined;
    }
  }

  private pathOf(id: string): string {
    return join(this.folder as string, 'states', `${sha256Hex(id).slice(0, 32)}.json`);
  }
}

/** Whether the folders for state and secrets of a project hold anything that somebody put there. */
export function holdsState(root: string): boolean {
  return ['state', 'credentials'].some((name) => {
    const path = join(root, '.mesh', name);
    if (findEntry(path)?.isDirectory() !== true) return false;
    return readdirSync(path).some((entry) => !NOTHING_YET.test(entry));
  });
}
