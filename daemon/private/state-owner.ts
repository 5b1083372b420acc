import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Hex } from '../lib/crypto/digests.js';
import { getErrorMessage } from '../lib/errors.js';
import { findEntry, readPrivateSync, writePrivateSync } from './private-file.js';
import { inState } from './private-names.js';

const ID = /^[0-9a-f]{32}\n?$/;

/** Files that a beginning start creates. A second start beside it must not treat them as foreign state. */
const NOTHING_YET = /^(?:\.gitignore|\.[0-9a-f]{16}\.tmp)$/;

/**
 * What this user's state folder records about one project's state: the project's last path, and the
 * identity of its state folder.
 */
interface KnownState {
  root: string;
  device: number;
  inode: number;
}

/** The owner of a project's state: this machine, a copy of another project's state, or unknown. */
type Ownership = 'own' | 'copy' | 'unknown';

const getState = (root: string) => join(root, '.mesh', 'state');

/** Returns the id in a project's state folder, or undefined when there is none that can be read. */
function readId(root: string): string | undefined {
  try {
    const text = readPrivateSync(inState(getState(root), 'id'));
    return text !== undefined && ID.test(text) ? text.trim() : undefined;
  } catch {
    // A link, a pipe or another user's file was not written by this daemon.
    return undefined;
  }
}

/**
 * The states that this machine created, recorded in the user's own folder outside every project: one small file (0600)
 * for each, named after the digest of the random id in the project's `.mesh/state/id`. A repository can contain an id,
 * but none that is recorded here before the operator adopts its state.
 */
export class StateOwner {
  /** `folder` is the user's state folder of meshd; undefined for a user without a home, for whom no state is known. */
  constructor(private readonly folder: string | undefined) {}

  /** Reports whether ownership can be recorded. */
  get hasMemory(): boolean {
    return this.folder !== undefined;
  }

  /**
   * Returns the owner of the state at `root`. When two folders both hold the same id, the recorded one keeps it and the
   * other one is a copy. A project that was moved or renamed keeps its owner.
   */
  judge(root: string): Ownership {
    const id = readId(root);
    const known = id === undefined ? undefined : this.find(id);
    if (id === undefined || known === undefined) return 'unknown';
    if (known.root === root) return 'own';
    const found = findEntry(getState(root));
    if (found?.ino === known.inode && found.dev === known.device) return 'own';
    return readId(known.root) === id ? 'copy' : 'own';
  }

  /**
   * Makes the state at `root` this machine's own: gives it a new id unless it has one that is recorded for it, and
   * records its path. The present id stays for a user without a state folder, and when the operator adopts state that
   * is no copy, because a start with another home may know it. The folder `.mesh/state` must exist. Returns why the
   * ownership cannot be recorded, or undefined.
   */
  claim(root: string, isAdopted = false): string | undefined {
    const ownership = this.judge(root);
    const isKept = !this.hasMemory || ownership === 'own' || (isAdopted && ownership === 'unknown');
    const present = isKept ? readId(root) : undefined;
    const id = present ?? randomBytes(16).toString('hex');
    // Recorded before it is written, so that a kill in between leaves no state with an unknown id.
    const problem = this.remember(id, root);
    if (present === undefined) writePrivateSync(inState(getState(root), 'id'), `${id}\n`);
    return problem;
  }

  /** Returns why the id cannot be recorded, or undefined. */
  private remember(id: string, root: string): string | undefined {
    if (this.folder === undefined) return 'this user has no home folder';
    const { dev, ino } = lstatSync(getState(root));
    const known = this.find(id);
    if (known?.root === root && known.inode === ino && known.device === dev) return undefined;
    try {
      mkdirSync(join(this.folder, 'states'), { recursive: true, mode: 0o700 });
      writePrivateSync(this.pathOf(id), `${JSON.stringify({ root, device: dev, inode: ino } satisfies KnownState)}\n`);
      return undefined;
    } catch (error) {
      return getErrorMessage(error);
    }
  }

  private find(id: string): KnownState | undefined {
    if (this.folder === undefined) return undefined;
    try {
      const known = JSON.parse(readPrivateSync(this.pathOf(id)) ?? 'null') as KnownState | null;
      const isOne = typeof known?.root === 'string' && Number.isInteger(known.device) && Number.isInteger(known.inode);
      return isOne ? known : undefined;
    } catch {
      // Truncated, or not this user's: treated as missing. The state it refers to can be adopted.
      return undefined;
    }
  }

  private pathOf(id: string): string {
    return join(this.folder as string, 'states', `${sha256Hex(id).slice(0, 32)}.json`);
  }
}

/**
 * Reports whether the folders for state and credentials of a project hold anything but the files of a beginning start.
 */
export function holdsState(root: string): boolean {
  return ['state', 'credentials'].some((name) => {
    const path = join(root, '.mesh', name);
    if (findEntry(path)?.isDirectory() !== true) return false;
    return readdirSync(path).some((entry) => !NOTHING_YET.test(entry));
  });
}
