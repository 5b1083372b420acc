import { join, posix } from 'node:path';
import type { Isolation } from '../../contract/work/worktrees.js';
import type { Bus } from '../../events/bus.js';
import { KeyedMutex } from '../../lib/async/keyed-mutex.js';
import { MeshError } from '../../lib/errors.js';
import type { Clock } from '../../lib/time/clock.js';
import type { Transaction, Transactions } from '../../storage/database/transaction.js';
import { named } from '../../storage/git/place-update.js';
import type { GitFolders, RepositoryStatus } from '../../storage/worktrees/repository-status.js';
import type { WorktreeFolders } from '../../storage/worktrees/worktree-folders.js';
import type { WorktreeChanges, WorktreeGit } from '../../storage/worktrees/worktree-git.js';
import type { ConversationRow, ConversationsStore } from '../conversations/conversations-store.js';
import type { PlaceFacts, PlaceView, TurnPlace, TurnPlaces } from '../conversations/turn-change.js';
import { branchName, resolveIsolation, wantedIsolation } from './isolation.js';
import type { WorktreeRow, WorktreesStore } from './worktrees-store.js';

/** How old the known state of the repository may be for display. */
const STATUS_FRESH_MS = 10_000;
const BRANCH_ATTEMPTS = 20;
const NO_HOME = 'There is no folder for worktrees outside the project.';

export interface WorktreesParts {
  /** The project. */
  root: string;
  store: WorktreesStore;
  conversations: Pick<ConversationsStore, 'find'>;
  transactions: Pick<Transactions, 'run'>;
  /** Undefined without a place for them outside the project. */
  folders: WorktreeFolders | undefined;
  bus: Bus;
  clock: Clock;
  /** The operator's default of where conversations work. */
  getDefault: () => 'automatic' | Isolation;
  readStatus: () => Promise<RepositoryStatus>;
  /** Rejects when the project is in no repository. */
  findFolders: () => Promise<GitFolders>;
  openGit: () => Promise<WorktreeGit>;
  /** Gives a new worktree's folder what the operator wants in it. Returns the paths in it; rejects when that fails. */
  setUp: (folder: string, signal: AbortSignal) => Promise<string[]>;
  /** Watches the user's repository during a turn in a worktree. */
  guard: (turn: { conv: string; turn: string }, worktree: WorktreeRow, repository: GitFolders) => Promise<Guarded>;
  onFailed: (error: unknown, message: string) => void;
}

/** The environment of an agent in a worktree, and the function that is called when its turn has ended. */
interface Guarded {
  environment: Readonly<Record<string, string>>;
  end: () => Promise<void>;
}

/** A worktree of a conversation. `folder` is the project's folder within it. */
interface FoundWorktree extends WorktreeRow {
  folder: string;
}

/**
 * Gives conversations a git worktree each, outside the project. One is made before the first turn that needs it, stays
 * with the conversation, and gets a branch once a turn changed something. Where a conversation works is fixed by its
 * first turn.
 */
export class Worktrees implements Omit<TurnPlaces, 'forget'> {
  private readonly locks = new KeyedMutex();
  /** How many turns run in each worktree, by the conversation that it belongs to. */
  private readonly inUse = new Map<string, number>();
  private status: { atMs: number; found: RepositoryStatus } | undefined;
  private reading: Promise<RepositoryStatus> | undefined;

  constructor(private readonly parts: WorktreesParts) {}

  /** Returns where a conversation works or will work. Unknown conversations work in the project. */
  folderOf(conv: string): string {
    const row = this.parts.conversations.find(conv);
    return row?.place === 'worktree' ? this.folderIn(this.ownerOf(row)) : this.parts.root;
  }

  /** Returns the worktree in which a conversation works, its own or the one that it shares. Undefined without one. */
  find(conv: string): FoundWorktree | undefined {
    const row = this.parts.conversations.find(conv);
    if (row?.place !== 'worktree') return undefined;
    const found = this.parts.store.find(this.ownerOf(row));
    return found?.state === 'ready' ? { ...found, folder: this.folderIn(found.conv) } : undefined;
  }

  describe(row: ConversationRow, facts: PlaceFacts): PlaceView {
    const { place, place_reason, isolation: chosen } = row;
    if (place !== null) {
      const branch = place === 'worktree' ? (this.parts.store.find(this.ownerOf(row))?.branch ?? null) : null;
      const isolation = { chosen, resolved: place, reason: place_reason, fixed: true, branch };
      return { isolation, folder: place === 'worktree' ? this.folderIn(this.ownerOf(row)) : this.parts.root };
    }
    const { isolation: resolved, reason } = this.resolve(row, facts, this.known(row, facts));
    const folder = resolved === 'worktree' ? this.folderIn(this.ownerOf(row)) : this.parts.root;
    return { isolation: { chosen, resolved, reason, fixed: false, branch: null }, folder };
  }

  /**
   * Prepares where a turn of the operator works, and fixes it for the conversation. Rejects, with a message for the
   * operator, when a worktree cannot be made.
   */
  async enter(
    row: ConversationRow,
    facts: PlaceFacts,
    turn: string,
    signal: AbortSignal,
  ): Promise<TurnPlace | undefined> {
    const { transactions, store, bus } = this.parts;
    let place = row.place;
    if (place === null) {
      // One that is shared is there already: what is under way in the project does not concern it.
      const isShared = this.sharedBy(row)?.place != null;
      const isNew = !isShared && wantedIsolation(this.wishes(row, facts)).isolation === 'worktree';
      const status = isNew ? await this.readStatus() : undefined;
      const { isolation, reason } = this.resolve(row, facts, status);
      const problem = isolation === 'worktree' ? this.problemOf(status) : undefined;
      if (problem !== undefined) throw new MeshError('not_waiting', `No worktree can be made. ${problem}`);
      await transactions.run((transaction) => {
        store.putPlace(transaction, row.conv, isolation, reason);
        transaction.afterCommit(() => bus.publish('conversation.updated', { conv: row.conv }));
      });
      place = isolation;
    }
    if (place === 'project') return undefined;
    return this.enterWorktree(this.ownerOf(row), row.conv, turn, signal);
  }

  private async enterWorktree(owner: string, conv: string, turn: string, signal: AbortSignal): Promise<TurnPlace> {
    this.inUse.set(owner, (this.inUse.get(owner) ?? 0) + 1);
    const release = () => {
      const left = (this.inUse.get(owner) as number) - 1;
      if (left === 0) this.inUse.delete(owner);
      else this.inUse.set(owner, left);
    };
    try {
      const made = await this.locks.runExclusive(owner, () => this.ensure(owner, signal));
      // Not by the status: what the user has under way in the project does not concern a worktree that is there.
      const guarded = await this.parts.guard({ conv, turn }, made, await this.parts.findFolders());
      return {
        folder: this.folderIn(owner),
        environment: guarded.environment,
        leave: async () => {
          try {
            await guarded.end();
            await this.locks.runExclusive(owner, () => this.settle(owner));
          } catch (error) {
            this.parts.onFailed(error, 'the worktree of a turn could not be looked at');
          } finally {
            release();
          }
        },
      };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Returns how many files of a conversation's worktree differ from its base, and how. Undefined without one. */
  async changes(conv: string): Promise<WorktreeChanges | undefined> {
    const found = this.find(conv);
    if (!found) return undefined;
    return (await this.parts.openGit()).changes(found.path, found.base, found.provided);
  }

  /** Returns the worktrees of all conversations, newest first. */
  list(): FoundWorktree[] {
    const ready = this.parts.store.list().filter(({ state }) => state === 'ready');
    return ready.map((row) => ({ ...row, folder: this.folderIn(row.conv) }));
  }

  /** Returns what the operator put into the folder of a worktree, as paths in it; nothing for any other folder. */
  providedIn(folder: string): string[] {
    const found = this.list().find((one) => one.folder === folder);
    return found?.provided.map((path) => posix.relative(found.prefix, path)) ?? [];
  }

  /** Records the commit from which the changes of a worktree count: what came before it is merged. */
  moveBase(transaction: Transaction, owner: string, commit: string): void {
    this.parts.store.putBase(transaction, owner, commit);
  }

  /** Whether a turn works in the worktree of the conversation. */
  isInUse(owner: string): boolean {
    return this.inUse.has(owner);
  }

  /** Runs `work` while no turn begins or ends in the worktree that belongs to the conversation. */
  exclusively<Value>(owner: string, work: () => Promise<Value>): Promise<Value> {
    return this.locks.runExclusive(owner, work);
  }

  /** Why no worktree can be made at present; null when one can. */
  async problem(): Promise<string | null> {
    return this.problemOf(await this.readStatus()) ?? null;
  }

  /** Resolves when the operations in progress have ended. */
  async stop(): Promise<void> {
    await this.reading?.catch(() => undefined);
    await this.locks.idle();
  }

  /** Makes the worktree unless it is there. */
  private async ensure(owner: string, signal: AbortSignal): Promise<WorktreeRow> {
    const { store, transactions, folders, clock, setUp } = this.parts;
    const found = store.find(owner);
    if (found?.state === 'ready' && folders?.isOwn(owner, found.path) && (await folders.has(owner))) return found;
    const status = await this.readStatus();
    if (!folders || !('base' in status)) throw new Error(`No worktree can be made. ${this.problemOf(status)}`);
    const git = await this.parts.openGit();
    const path = folders.pathOf(owner);
    if (!found && (await folders.has(owner))) await this.requireNoRepositories(git, path);
    const { head: base, branch: base_branch, prefix } = status.base;
    await transactions.run((transaction) => {
      store.drop(transaction, owner);
      store.putNew(transaction, { conv: owner, path, prefix, base, base_branch, created_ms: clock.now() });
    });
    try {
      await folders.prepare();
      await git.remove(path);
      signal.throwIfAborted();
      await git.add(path, base);
      const given = await setUp(this.folderIn(owner), signal);
      const provided = given.map((one) => posix.join(status.base.prefix, one));
      signal.throwIfAborted();
      await transactions.run((transaction) => store.putReady(transaction, owner, provided));
    } catch (error) {
      await git.remove(path);
      await transactions.run((transaction) => store.drop(transaction, owner));
      throw error;
    }
    const row = store.find(owner);
    if (!row) throw new Error('The conversation was deleted meanwhile.');
    return row;
  }

  /** What the store does not know is made anew, but for a folder that stays for the repositories in it. */
  private async requireNoRepositories(git: WorktreeGit, path: string): Promise<void> {
    const repositories = (await git.knows(path)) ? await git.findRepositories(path, []) : [];
    if (repositories.length === 0) return;
    const names = named(repositories);
    throw new Error(
      `No worktree can be made. ${path} holds repositories that nothing keeps (${names}): save what you need of them,` +
        ' then remove the folder.',
    );
  }

  /** Records the use of a worktree, and gives it its branch once something in it changed. */
  private async settle(owner: string): Promise<void> {
    const { store, transactions, clock, bus, openGit } = this.parts;
    const row = store.find(owner);
    if (row?.state !== 'ready') return;
    const git = await openGit();
    const changes = await git.changes(row.path, row.base, row.provided);
    const branch = changes.branch ?? (await this.branchFor(git, row, changes));
    await transactions.run((transaction) => {
      store.putUsed(transaction, owner, branch, clock.now());
      if (branch !== row.branch) transaction.afterCommit(() => bus.publish('conversation.updated', { conv: owner }));
    });
  }

  /** The branch of a worktree whose HEAD is on none. */
  private async branchFor(git: WorktreeGit, row: WorktreeRow, { files, head }: WorktreeChanges) {
    // A rebase takes HEAD off its branch until it ends.
    if (await git.isUnderWay(row.path)) return row.branch;
    return files.length > 0 || head !== row.base ? this.makeBranch(git, row, head) : null;
  }

  private async makeBranch(git: WorktreeGit, row: WorktreeRow, head: string): Promise<string | null> {
    const conversation = this.parts.conversations.find(row.conv);
    if (!conversation) return null;
    const { member, agent_type, title } = conversation;
    for (let attempt = 1; attempt <= BRANCH_ATTEMPTS; attempt += 1) {
      const name = branchName(member ?? agent_type, title, attempt);
      if (await git.attach(row.path, name, head)) return name;
    }
    return null;
  }

  /** The conversation whose worktree a conversation works in. */
  private ownerOf(row: ConversationRow): string {
    const shared = this.sharedBy(row);
    return shared?.place === 'worktree' ? this.ownerOf(shared) : row.conv;
  }

  /** The conversation whose place a conversation shares, unless the operator chose another one for it. */
  private sharedBy({ place_of, isolation }: ConversationRow): ConversationRow | undefined {
    return place_of === null || isolation !== null ? undefined : this.parts.conversations.find(place_of);
  }

  private folderIn(owner: string): string {
    const { folders, root, store } = this.parts;
    const made = store.find(owner);
    if (made) return join(made.path, made.prefix);
    const prefix = this.status && 'base' in this.status.found ? this.status.found.base.prefix : '';
    return folders ? join(folders.pathOf(owner), prefix) : root;
  }

  private wishes(row: ConversationRow, { tools, isolation }: PlaceFacts) {
    return { chosen: row.isolation, preference: this.parts.getDefault(), member: isolation, tools };
  }

  private resolve(row: ConversationRow, facts: PlaceFacts, status: RepositoryStatus | undefined) {
    const shared = this.sharedBy(row)?.place;
    if (shared) return { isolation: shared, reason: 'It works where the conversation that asked it works.' };
    const uncommitted = status && 'base' in status ? status.base.uncommitted : 0;
    const problem = status && this.problemOf(status);
    return resolveIsolation({ ...this.wishes(row, facts), problem, uncommitted });
  }

  private problemOf(status: RepositoryStatus | undefined): string | undefined {
    if (!this.parts.folders) return NO_HOME;
    return status && 'problem' in status ? status.problem : undefined;
  }

  /** The state of the repository for display, read again in the background when it is old. */
  private known(row: ConversationRow, facts: PlaceFacts): RepositoryStatus | undefined {
    if (wantedIsolation(this.wishes(row, facts)).isolation === 'project') return this.status?.found;
    if (!this.status || this.parts.clock.elapsed() - this.status.atMs > STATUS_FRESH_MS)
      this.readStatus().catch(() => undefined);
    return this.status?.found;
  }

  private readStatus(): Promise<RepositoryStatus> {
    this.reading ??= this.parts
      .readStatus()
      .then((found) => {
        this.status = { atMs: this.parts.clock.elapsed(), found };
        return found;
      })
      .finally(() => {
        this.reading = undefined;
      });
    return this.reading;
  }
}
