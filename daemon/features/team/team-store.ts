import type { Problem } from '../../contract/team.js';
import { isMemberId } from '../../lib/agents/member-id.js';
import { scrubSecrets } from '../../lib/secrets/secrets.js';
import { isProblem } from '../../storage/members/frontmatter.js';
import type { FileState, MarkdownFolder } from '../../storage/members/markdown-folder.js';
import { type FindOwnNetwork, type MemberVersion, readMember } from './member-file.js';
import { TurnTaking } from './turn-taking.js';

/** The known state of one member file: its state on disk, and the last version that could be parsed. */
export interface StoredMember {
  id: string;
  /** SHA-256 of the file on disk; empty when the file cannot be read. */
  revision: string;
  /** The version that serves: the file's, or the last valid one while it is broken. Undefined if it was never valid. */
  version: MemberVersion | undefined;
  /** Why the file is broken; undefined when it is valid. */
  problem: Problem | undefined;
}

export interface MemberChange {
  id: string;
  before: StoredMember | undefined;
  after: StoredMember | undefined;
  /** `edit` for a change through the daemon, `disk` for one found on disk. */
  origin: 'edit' | 'disk';
}

export type Undo = () => Promise<void>;
/** Takes what is to be undone when the file is not written. */
export type IfNotWritten = (undo: Undo) => void;
type Edit = (current: FileState | undefined, ifNotWritten: IfNotWritten) => string | Promise<string>;

/** Delay before a deleted or broken file is accepted as such: editors and Git write in more than one step. */
const SETTLE_MS = 80;
/** Number of files that are read concurrently at startup. */
const READ_AT_ONCE = 16;

/**
 * The roster on disk. Each file is parsed independently, so a broken file does not affect others. For edits through the
 * daemon and on disk, `onChange` reports each change of a file's content exactly once, in order per file.
 */
export class TeamStore {
  private readonly members = new Map<string, StoredMember>();
  private readonly turns = new TurnTaking();
  private line = Promise.resolve();
  private listener: (change: MemberChange) => Promise<void> = async () => undefined;

  constructor(
    private readonly folder: MarkdownFolder,
    readonly findOwnNetwork?: FindOwnNetwork,
  ) {}

  /** `listener` is awaited before an edit resolves, and can fail it by throwing, but not for changes found on disk. */
  onChange(listener: (change: MemberChange) => Promise<void>): void {
    this.listener = listener;
  }

  /** How changes on disk are detected, and why it is not by file system notifications, if so. */
  get watching(): MarkdownFolder['watching'] {
    return this.folder.watching;
  }

  /** Whether the folder exists. Throws `forbidden` when it, or a parent folder, is not a plain directory. */
  exists(): Promise<boolean> {
    return this.folder.exists();
  }

  /** Creates the folder with `files` (id to text), atomically. */
  seed(files: ReadonlyMap<string, string>): Promise<void> {
    return this.folder.createWith(new Map([...files].map(([id, text]) => [fileName(id), text])));
  }

  /** Reads every file without notifying the listener, then watches the folder. */
  async open(): Promise<void> {
    const names = await this.folder.rescan();
    for (let at = 0; at < names.length; at += READ_AT_ONCE) {
      const some = names.slice(at, at + READ_AT_ONCE);
      const states = await Promise.all(some.map((name) => this.folder.read(name)));
      for (const [index, name] of some.entries()) {
        const stored = this.interpret(getId(name), states[index]);
        if (stored) this.members.set(getId(name), stored);
      }
    }
    await this.folder.watch((name) => this.settle(getId(name)));
  }

  close(): Promise<void> {
    return this.folder.close();
  }

  find(id: string): StoredMember | undefined {
    return this.members.get(id);
  }

  list(): StoredMember[] {
    return [...this.members.values()];
  }

  /** Scans the folder. Resolves when every change up to now has been handled. */
  async refresh(): Promise<void> {
    const names = await this.folder.rescan();
    await Promise.all(names.map((name) => this.settle(getId(name))));
    await this.turns.idle();
  }

  /** Reads the file from disk. */
  read(id: string): Promise<FileState | undefined> {
    return this.folder.read(fileName(id));
  }

  /** Returns the path of a member's file, relative to the project. */
  pathOf(id: string): string {
    return `${this.folder.relativePath}/${fileName(id)}`;
  }

  /**
   * Replaces the text of a member file by the result of `edit`, which receives the current file. Edits of one file are
   * serialized. When `edit` throws, nothing is written; what it gave to `ifNotWritten` is then run, as when writing
   * fails. Resolves when the change is on disk and the listener has run.
   */
  change(id: string, edit: Edit): Promise<StoredMember> {
    return this.turns.take(id, async () => {
      const current = await this.settleInTurn(id);
      const state = await orUndo(async (ifNotWritten) => {
        const text = await edit(current, ifNotWritten);
        const isSame = current?.kind === 'text' && current.text === text;
        return isSame ? current : this.folder.write(fileName(id), text);
      });
      await this.adopt(id, this.interpret(id, state), 'edit');
      return this.members.get(id) as StoredMember;
    });
  }

  /** Like `change`, but `produce` supplies the text, and a link, pipe or device at the path is replaced. */
  replace(id: string, produce: (ifNotWritten: IfNotWritten) => Promise<string>): Promise<StoredMember> {
    return this.turns.take(id, async () => {
      await this.settleInTurn(id);
      const state = await orUndo(async (ifNotWritten) =>
        this.folder.replace(fileName(id), await produce(ifNotWritten)),
      );
      await this.adopt(id, this.interpret(id, state), 'edit');
      return this.members.get(id) as StoredMember;
    });
  }

  /** Removes a member file after `check`, which may throw. Resolves when the file is gone and the listener has run. */
  remove(id: string, check: () => Promise<void>): Promise<void> {
    return this.turns.take(id, async () => {
      await this.settleInTurn(id);
      await check();
      await this.folder.remove(fileName(id));
      await this.adopt(id, undefined, 'edit');
    });
  }

  private settle(id: string): Promise<void> {
    return this.turns.take(id, async () => {
      await this.nextPlace();
      await this.settleInTurn(id);
    });
  }

  /** Handles concurrent changes one after the other, and yields to the event loop between two of them. */
  private nextPlace(): Promise<void> {
    this.line = this.line.then(() => new Promise((resolve) => setImmediate(resolve)));
    return this.line;
  }

  private async settleInTurn(id: string): Promise<FileState | undefined> {
    let state = await this.folder.read(fileName(id));
    let found = this.interpret(id, state);
    const known = this.members.get(id);
    if (!sameContent(known, found) && (!found || found.problem)) {
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      state = await this.folder.read(fileName(id));
      found = this.interpret(id, state);
    }
    await this.adopt(id, found, 'disk');
    return state;
  }

  private async adopt(id: string, after: StoredMember | undefined, origin: MemberChange['origin']): Promise<void> {
    const before = this.members.get(id);
    if (sameContent(before, after)) return;
    if (after) this.members.set(id, after);
    else this.members.delete(id);
    await this.listener({ id, before, after, origin });
  }

  private interpret(id: string, state: FileState | undefined): StoredMember | undefined {
    if (!state) return undefined;
    const known = this.members.get(id);
    // An unchanged text keeps its parsed version.
    if (state.kind === 'text' && known?.revision === state.revision) return known;
    const read = readable(id, state, this.findOwnNetwork);
    if (!isProblem(read)) return { id, revision: state.revision, version: read, problem: undefined };
    return { id, revision: state.revision, version: known?.version, problem: withoutSecrets(read) };
  }
}

/**
 * Runs `work`. When it fails, what it gave to `ifNotWritten` is run, the last one first. What cannot be undone either,
 * as on a full disk, is left to the next start, which takes back tokens of internal members.
 */
async function orUndo<Result>(work: (ifNotWritten: IfNotWritten) => Promise<Result>): Promise<Result> {
  const undos: Undo[] = [];
  try {
    return await work((undo) => undos.unshift(undo));
  } catch (error) {
    for (const undo of undos) await undo().catch(() => undefined);
    throw error;
  }
}

function readable(id: string, state: FileState, findOwnNetwork?: FindOwnNetwork): MemberVersion | Problem {
  if (!isMemberId(id)) {
    return {
      line: 1,
      column: 1,
      reason:
        'The file name is not a member id: rename it to 2 to 32 small letters, digits and hyphens, starting ' +
        'with a letter.',
    };
  }
  return state.kind === 'text' ? readMember(id, state.text, findOwnNetwork) : state.problem;
}

/** A reason may quote the file, and is published in events. */
function withoutSecrets(problem: Problem): Problem {
  return { ...problem, reason: scrubSecrets(problem.reason) };
}

const fileName = (id: string) => `${id}.md`;
const getId = (name: string) => name.slice(0, -'.md'.length);

function sameContent(a: StoredMember | undefined, b: StoredMember | undefined): boolean {
  return a?.revision === b?.revision && a?.problem?.reason === b?.problem?.reason;
}
