import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { MeshEvent } from '../../contract/events.js';
import { Bus } from '../../events/bus.js';
import { type ConversationRow, ConversationsStore } from '../../features/conversations/conversations-store.js';
import { WorktreeRemoval } from '../../features/worktrees/worktree-removal.js';
import { Worktrees, type WorktreesParts } from '../../features/worktrees/worktrees.js';
import { type WorktreeRow, WorktreesStore } from '../../features/worktrees/worktrees-store.js';
import { Database } from '../../storage/database/database.js';
import { Transactions } from '../../storage/database/transaction.js';
import type { RepositoryStatus } from '../../storage/worktrees/repository-status.js';
import { WorktreeFolders } from '../../storage/worktrees/worktree-folders.js';
import type { WorktreeChanges, WorktreeGit } from '../../storage/worktrees/worktree-git.js';
import { FakeClock } from '../fake-clock.js';
import { putTemplateDatabase } from '../template-database.js';
import { temporaryFolder } from '../temporary-folder.js';

/** A worktree as the stand-in for git knows it. */
interface Known extends WorktreeChanges {
  repositories: string[];
  isUnderWay: boolean;
}

/** Stands in for git: worktrees are plain folders, and what differs in them is what a test puts there. */
class StandInGit {
  readonly known = new Map<string, Known>();
  readonly branches = new Map<string, string>();
  /** What was asked for, except to look. */
  readonly calls: unknown[][] = [];
  /** Commits that no other ref has. */
  readonly alone = new Set<string>();
  /** Called with the name of each command; what it throws, the command throws. */
  before: (command: string, path: string) => void = () => undefined;

  /** Puts a worktree at `path`, with its folder. */
  put(path: string, more: Partial<Known> = {}): Known {
    mkdirSync(path, { recursive: true });
    const known = { files: [], head: 'base', branch: null, repositories: [], isUnderWay: false, ...more };
    this.known.set(path, known);
    return known;
  }

  async add(path: string, commit: string) {
    this.note('add', path, commit);
    this.requireFolder(dirname(path));
    this.put(path, { head: commit });
  }

  async remove(path: string) {
    this.note('remove', path);
    rmSync(path, { recursive: true, force: true });
    this.known.delete(path);
  }

  async moveAlong(from: string, to: string) {
    this.note('moveAlong', from, to);
    const known = this.known.get(from);
    if (!known) return false;
    this.requireFolder(dirname(to));
    await this.remove(from);
    this.put(to, known);
    return true;
  }

  async knows(path: string) {
    return this.known.has(path);
  }

  async listBelow(folder: string) {
    return [...this.known.keys()].filter((path) => path.startsWith(`${folder}/`));
  }

  async findBranch(branch: string) {
    return this.branches.get(branch);
  }

  async changes(path: string, base: string, provided: readonly string[]): Promise<WorktreeChanges> {
    this.before('changes', path);
    const { files, head, branch } = this.find(path);
    this.looked = { path, base, provided };
    return { files: files.filter((file) => !provided.includes(file)), head, branch };
  }

  /** The last comparison that was asked for. */
  looked: { path: string; base: string; provided: readonly string[] } | undefined;

  async isUnderWay(path: string) {
    return this.find(path).isUnderWay;
  }

  async findRepositories(path: string, provided: readonly string[]) {
    this.before('findRepositories', path);
    return this.find(path).repositories.filter((name) => !provided.includes(name));
  }

  async attach(path: string, branch: string, commit: string) {
    this.note('attach', path, branch, commit);
    if (this.branches.has(branch)) return false;
    this.branches.set(branch, commit);
    this.find(path).branch = branch;
    return true;
  }

  async isHeldElsewhere(commit: string) {
    return !this.alone.has(commit);
  }

  async dropBranch(branch: string, commit: string) {
    this.note('dropBranch', branch, commit);
    this.branches.delete(branch);
  }

  async keep(path: string, ref: string, provided: readonly string[], message: string) {
    this.note('keep', path, ref, provided, message);
    return 'commit';
  }

  private note(command: string, path: string, ...more: unknown[]): void {
    this.before(command, path);
    this.calls.push([command, path, ...more]);
  }

  private find(path: string): Known {
    const known = this.known.get(path);
    if (!known) throw new Error(`There is no worktree at ${path}.`);
    this.requireFolder(path);
    return known;
  }

  private requireFolder(path: string): void {
    if (!existsSync(path)) throw new Error(`There is no folder ${path}.`);
  }
}

const BASE = { head: 'base', branch: 'main', gitFolder: '/g', commonFolder: '/g', prefix: '', uncommitted: 0 };

/** A repository in which worktrees can be made, with what differs. */
export const aRepository = (more: Partial<typeof BASE> = {}): RepositoryStatus => ({ base: { ...BASE, ...more } });

interface Replaced extends Partial<Pick<WorktreesParts, 'getDefault' | 'readStatus' | 'setUp' | 'guard'>> {
  /** Whether there is a place for worktrees outside the project. */
  hasFolders?: boolean;
}

interface Stores {
  clock: FakeClock;
  transactions: Transactions;
  store: WorktreesStore;
  conversations: ConversationsStore;
  git: StandInGit;
  folders: WorktreeFolders;
}

/** What a test stores: conversations, and worktrees with their folders. */
function storing({ clock, transactions, store, conversations, git, folders }: Stores) {
  /** Stores a conversation, and returns its row. */
  const converse = async (conv: string, more: Partial<ConversationRow> = {}): Promise<ConversationRow> => {
    const { place = null, place_reason = '', ...row } = more;
    await transactions.run((transaction) => {
      conversations.put(transaction, {
        ...{
          conv,
          member: 'developer',
          agent_type: 'code',
          title: 'Light it',
          client: null,
          model: null,
          effort: null,
        },
        ...{ isolation: null, place_of: null, from_outside: 0, created_ms: clock.now(), ...row },
      });
      if (place !== null) store.putPlace(transaction, conv, place, place_reason);
    });
    return conversations.find(conv) as ConversationRow;
  };
  /** Stores a worktree as it is after a turn, with its folder. */
  const putWorktree = async (conv: string, more: Partial<WorktreeRow> = {}, known: Partial<Known> = {}) => {
    const { state: wanted = 'ready', provided = [], branch = null, used_ms = clock.now(), ...row } = more;
    const path = more.path ?? folders.pathOf(conv);
    git.put(path, { branch, ...known });
    await transactions.run((transaction) => {
      const created = { prefix: '', base: 'base', base_branch: 'main', created_ms: clock.now(), ...row };
      store.putNew(transaction, { conv, path, ...created });
      if (wanted !== 'creating') store.putReady(transaction, conv, provided);
      if (wanted === 'removing') store.putRemoving(transaction, conv);
      store.putUsed(transaction, conv, branch, used_ms);
    });
    return path;
  };
  return { converse, putWorktree };
}

/** The worktrees of a project and their removal, over a store of their own and a stand-in for git. */
export function worktreesAlone({ hasFolders = true, ...replaced }: Replaced = {}) {
  const state = temporaryFolder();
  const root = '/projects/lamp';
  const clock = new FakeClock();
  const bus = new Bus(clock);
  const events: MeshEvent[] = [];
  bus.watch((event) => void events.push(event));
  const database = new Database(putTemplateDatabase(join(state, 'mesh.db')));
  onTestFinished(() => database.close());
  const transactions = new Transactions(database);
  const [store, conversations] = [new WorktreesStore(database), new ConversationsStore(database)];
  const places = new WorktreeFolders(state, root);
  const folders = hasFolders ? places : undefined;
  const git = new StandInGit();
  const failures: string[] = [];
  let opened = 0;
  const shared = {
    ...{ store, conversations, transactions, folders, bus, clock },
    openGit: async () => {
      opened += 1;
      return git as unknown as WorktreeGit;
    },
    onFailed: (error: unknown, message: string) => void failures.push(`${message}: ${(error as Error).message}`),
  };
  const worktrees = new Worktrees({
    ...shared,
    root,
    getDefault: () => 'automatic',
    readStatus: async () => aRepository(),
    findFolders: async () => ({ gitFolder: '/g', commonFolder: '/g' }),
    setUp: async () => [],
    guard: async () => ({ environment: {}, end: async () => undefined }),
    ...replaced,
  });
  const removal = new WorktreeRemoval({
    ...{ ...shared, worktrees },
    formatTitle: ({ title, member }) => `${title} of ${member}`,
  });

  return {
    ...{ root, clock, events, database, transactions, store, conversations, folders: places, git, failures },
    ...{ worktrees, removal, ...storing({ clock, transactions, store, conversations, git, folders: places }) },
    /** How often git was opened. */
    opened: () => opened,
  };
}
