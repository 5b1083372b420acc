import type { Problem } from '../../contract/team.js';
import { isMemberId } from '../../lib/member-id.js';
import { scrubSecrets } from '../../lib/secrets.js';
import { isProblem } from '../../storage/frontmatter.js';
import type { FileState, MarkdownFolder } from '../../storage/markdown-folder.js';
import { type MemberVersion, readMember } from './member-file.js';
import { TurnTaking } from './turn-taking.js';

/** What is known of one member file: how it stands on disk, and the last version of it that could be read. */
export interface StoredMember {
  id: string;
  /** SHA-256 of the file as it stands; empty when the file cannot be read at all. */
  revision: string;
  /** What serves: the file itself, or its last good version while it is broken; undefined when none was ever read. */
  version: MemberVersion | undefined;
  /** Why the file is broken; undefined when it is fine. */
  problem: Problem | undefined;
}

export interface MemberChange {
  id: string;
  before: StoredMember | undefined;
  after: StoredMember | undefined;
  /** `edit` when the daemon made the change on request, `disk` when it was found. */
  origin: 'edit' | 'disk';
}

/** How long a file that has just gone, or just broken, is given to come back: editors and git write in more than one step. */
const SETTLE_MS = 80;
/** Files that the start reads beside each other. */
const READ_AT_ONCE = 16;

/**
 * The roster on disk. Each file is read alone, so that one that is broken never changes another. Edits through the daemon and edits by
 * hand end in the same place: `onChange` hears of each change of a file's content exactly once, in order per file.
 */
export class TeamStore {
  private readonly members = new Map<string, StoredMember>();
  private readonly turns = new TurnTaking();
  private line = Promise.resolve();
  private listener: (change: MemberChange) => Promise<void> = async () => undefined;

  constructor(private readonly folder: MarkdownFolder) {}

  /** `listener` is awaited before an edit is answered, and fails it by throwing; for what is found on disk it must not throw. */
  onChange(listener: (change: MemberChange) => Promise<void>): void {
    this.listener = listener;
  }

  /** How changes on disk are noticed, and why it is not the file system's own notices when it is not. */
  get watching(): MarkdownFolder['watching'] {
    return this.folder.watching;
  }

  /** Whether the folder is there. Throws `forbidden` when it, or a folder above it, is not a plain directory. */
  exists(): Promise<boolean> {
    return this.folder.exists();
  }

  /** Makes the folder with `files` (id to text) in it, all or nothing. */
  seed(files: ReadonlyMap<string, string>): Promise<void> {
    return this.folder.createWith(new Map([...files].map(([id, text]) => [fileName(id), text])));
  }

  /** Reads every file without telling anyone, then keeps watch. */
  async open(): Promise<void> {
    const names = await this.folder.rescan();
    for (let at = 0; at < names.length; at += READ_AT_ONCE) {
      const some = names.slice(at, at + READ_AT_ONCE);
      const states = await Promise.all(some.map((name) => this.folder.read(name)));
      for (const [index, name] of some.entries()) {
        const stored = this.interpret(idOf(name), states[index]);
        if (stored) this.members.set(idOf(name), stored);
      }
    }
    await this.folder.watch((name) => this.settle(idOf(name)));
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

  /** Looks at the folder now; resolves when everything that had changed is known. */
  async refresh(): Promise<void> {
    const names = await this.folder.rescan();
    await Promise.all(names.map((name) => this.settle(idOf(name))));
    await this.turns.idle();
  }

  /** The file as it stands on disk now. */
  read(id: string): Promise<FileState | undefined> {
    return this.folder.read(fileName(id));
  }

  /** The path of a member's file, relative to the project. */
  pathOf(id: string): string {
    return `${this.folder.relativePath}/${fileName(id)}`;
  }

  /**
   * Replaces the text of a member file by what `edit` makes of it as it stands on disk at that moment; edits of one file wait for
   * each other. When `edit` throws, nothing is written. Resolves when the change is on disk and has been told.
   */
  change(id: string, edit: (current: FileState | undefined) => string | Promise<string>): Promise<StoredMember> {
    return this.turns.take(id, async () => {
      const current = await this.settleInTurn(id);
      const text = await edit(current);
      if (current?.kind !== 'text' || current.text !== text) {
        await this.adopt(id, this.interpret(id, await this.folder.write(fileName(id), text)), 'edit');
      }
      return this.members.get(id) as StoredMember;
    });
  }

  /** Puts the text that `produce` gives in the place of whatever stands under the member's name. Otherwise as `change`. */
  replace(id: string, produce: () => Promise<string>): Promise<StoredMember> {
    return this.turns.take(id, async () => {
      await this.settleInTurn(id);
      await this.adopt(id, this.interpret(id, await this.folder.replace(fileName(id), await produce())), 'edit');
      return this.members.get(id) as StoredMember;
    });
  }

  /** Removes a member file after `check` has seen it; resolves when it is gone from disk and that has been told. */
  remove(id: string, check: () => void): Promise<void> {
    return this.turns.take(id, async () => {
      await this.settleInTurn(id);
      check();
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

  /** Files that change together are looked at one after the other, so that whoever waits for the event loop has his turn between two of them. */
  private nextPlace(): Promise<void> {
    this.line = this.line.then(() => new Promise((resolve) => setImmediate(resolve)));
    return this.line;
  }

  private async settleInTurn(id: string): Promise<FileState | undefined> {
    let state = await this.folder.read(fileName(id));
    let found = this.interpret(id, state);
    const known = this.members.get(id);
    if (!sameContent(known, found) && (!found || found.problem) && (known || found)) {
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
    // Of the same text the same is known.
    if (state.kind === 'text' && known?.revision === state.revision) return known;
    const read = readable(id, state);
    if (!isProblem(read)) return { id, revision: state.revision, version: read, problem: undefined };
    return { id, revision: state.revision, version: known?.version, problem: withoutSecrets(read) };
  }
}

function readable(id: string, state: FileState): MemberVersion | Problem {
  if (!isMemberId(id)) {
    return {
      line: 1,
      column: 1,
      reason:
        'The file name is not a member id: rename it to 2 to 32 small letters, digits and hyphens, starting with a letter.',
    };
  }
  return state.kind === 'text' ? readMember(id, state.text) : state.problem;
}

/** A reason may quote the file, and goes into events. */
function withoutSecrets(problem: Problem): Problem {
  return { ...problem, reason: scrubSecrets(problem.reason) };
}

const fileName = (id: string) => `${id}.md`;
const idOf = (name: string) => name.slice(0, -'.md'.length);

function sameContent(a: StoredMember | undefined, b: StoredMember | undefined): boolean {
  return a?.revision === b?.revision && a?.problem?.reason === b?.problem?.reason;
}
