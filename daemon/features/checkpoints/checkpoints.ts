import {
  CHANGES_BASE,
  CHECKPOINT_START,
  CHECKPOINTS_MAX,
  type Checkpoint,
  type CheckpointList,
} from '../../contract/work/changes.js';
import type { Bus } from '../../events/bus.js';
import { KeyedMutex } from '../../lib/async/keyed-mutex.js';
import { getErrorMessage, MeshError } from '../../lib/errors.js';
import type { Clock } from '../../lib/time/clock.js';
import type { Transaction, Transactions } from '../../storage/database/transaction.js';
import type { GitRepository } from '../../storage/git/git-repository.js';
import { DURABLE } from '../../storage/git/snapshot.js';
import { compareTrees } from '../../storage/git/tree-comparison.js';
import type { WorkingTree, WorkingTrees } from '../../storage/git/working-trees.js';
import type { Conversations } from '../conversations/conversations.js';
import type { Runnable, TurnChange } from '../conversations/turn-change.js';
import type { TurnRow, TurnsStore } from '../conversations/turns-store.js';
import { findBeginning, type WorktreeBase } from './beginning.js';
import { type CheckpointRow, type CheckpointsStore, checkpointView } from './checkpoints-store.js';
import type { SeqRanges } from './seq-ranges.js';

const LISTED_MAX = 20;
const EDITING_TOOLS: readonly string[] = ['edit', 'execute'];

interface CheckpointsParts {
  transactions: Transactions;
  store: CheckpointsStore;
  turns: Pick<TurnsStore, 'find'>;
  conversations: Pick<Conversations, 'row'>;
  trees: WorkingTrees;
  /** Returns the folder in which a conversation's agent works. */
  folderOf: (conv: string) => string;
  /** Returns the worktree in which a conversation works; undefined for the project folder. */
  worktreeOf: (conv: string) => WorktreeBase | undefined;
  /** Returns the messages of a conversation that are set aside at present. */
  findHidden: (conv: string) => SeqRanges;
  bus: Bus;
  clock: Clock;
  /** Puts the files with which a fork begins into its folder. */
  putForkFiles: (conv: string, folder: string) => Promise<void>;
  onError: (error: unknown, what: string, conv: string) => void;
}

/** What a checkpoint is made of, besides the files. */
type NewCheckpoint = Pick<CheckpointRow, 'conv' | 'checkpoint' | 'kind' | 'turn' | 'last_seq'> & {
  /** Writes what must be durable together with it. */
  record?: (transaction: Transaction) => void;
};

/** Returns the reference that keeps a checkpoint's commit. */
export const referenceTo = (conv: string, checkpoint: string) => `refs/meshd/${conv}/${checkpoint}`;

/** Makes the commit of a snapshot, above the last commit without a `parent`. Throws `internal`. */
async function commitTree({ repository, tree }: WorkingTree, parent: string | undefined, message: string) {
  const above = parent ?? (await repository.run(['rev-parse', '--verify', '-q', 'HEAD'])).stdout.trim();
  const described = [...(above === '' ? [] : ['-p', above]), '-m', message];
  return (await repository.output([...DURABLE, 'commit-tree', tree, ...described])).trim();
}

/** Whether the agent of a turn can change files. */
const mayEdit = (turn: TurnRow, runnable: Runnable | undefined): boolean =>
  turn.profile === 'operator' &&
  runnable?.client !== undefined &&
  runnable.client_resolved !== 'builtin' &&
  runnable.member.tools.some((tool) => EDITING_TOOLS.includes(tool));

/**
 * Keeps the files of a conversation's folder as they were before its first turn and after each turn that changed one,
 * as commits on references that no branch and no command of the user follows. A turn that has ended gets its checkpoint
 * even when the daemon dies meanwhile. Work on one folder is done one after another. Contract: Changes.
 */
export class Checkpoints {
  private readonly folders = new KeyedMutex();
  /** The state of files that are left out, at the last snapshot for a conversation. */
  private readonly leftOut = new Map<string, Map<string, string>>();
  private isStopping = false;

  constructor(private readonly parts: CheckpointsParts) {}

  /** Makes the missing checkpoints of ended turns, and removes references of deleted conversations, in the background. */
  start(): void {
    for (const { conv, turn } of this.parts.store.listDue()) void this.makeDue(conv, turn);
    void this.removeGone();
  }

  /** Resolves once no work is under way. Turns that then lack their checkpoint get it at the next start. */
  async stop(): Promise<void> {
    this.isStopping = true;
    await this.folders.idle();
  }

  /** Returns the folder in which a conversation works. */
  folderOf(conv: string): string {
    return this.parts.folderOf(conv);
  }

  /** Runs `work` on a conversation's folder after all earlier work on it. */
  inFolder<T>(conv: string, work: (folder: string) => Promise<T>): Promise<T> {
    const folder = this.parts.folderOf(conv);
    return this.folders.runExclusive(folder, () => work(folder));
  }

  /**
   * Must be awaited before the agent of a turn starts. Keeps the files as they are when nothing is kept yet, or when
   * others changed them since. Never rejects: a turn runs without checkpoints where none can be made.
   */
  async prepareTurn(turn: TurnRow, runnable: Runnable | undefined): Promise<void> {
    if (!mayEdit(turn, runnable)) return;
    const { conv, seq } = turn;
    const { store, trees } = this.parts;
    try {
      await this.inFolder(conv, async (folder) => {
        const last = store.findLast(conv);
        const now = await trees.take(folder, last?.tree);
        if (!now) return;
        const kind = last ? 'outside' : 'start';
        const checkpoint = last ? store.nextKept(conv) : CHECKPOINT_START;
        await this.make(now, { conv, checkpoint, kind, turn: null, last_seq: seq - 1 });
        await this.parts.putForkFiles(conv, folder);
      });
    } catch (error) {
      this.parts.onError(error, 'the files could not be kept before a turn', conv);
    }
  }

  /** Follows turns: within the transaction that ends one, notes that it needs a checkpoint. */
  follow(change: TurnChange, transaction: Transaction): void {
    if (change.kind !== 'ended' || change.turn.profile !== 'operator') return;
    const { turn, conv } = change.turn;
    const { store, turns } = this.parts;
    // A turn that never started changed nothing.
    if (typeof turns.find(turn)?.started_ms !== 'number' || !store.findLast(conv)) return;
    store.putDue(transaction, { turn, conv, problem: null });
    transaction.afterCommit(() => void this.makeDue(conv, turn));
  }

  /** Returns the checkpoints of a conversation. Throws `not_found`. */
  async list(conv: string): Promise<CheckpointList> {
    const { conversations, store, trees, folderOf } = this.parts;
    conversations.row(conv);
    const missing = store.listDue(conv).find(({ problem }) => problem !== null);
    const folder = folderOf(conv);
    const problem = !(await trees.open(folder))
      ? await trees.findProblem(folder)
      : missing
        ? `The checkpoint of ${missing.turn} is missing: ${missing.problem}`
        : null;
    const checkpoints = store.list(conv, CHECKPOINTS_MAX).map(checkpointView);
    return { conv, checkpoints, count: store.count(conv), problem };
  }

  /**
   * Keeps `now` as a checkpoint unless it has the files of the last one; the first one is always kept. The caller must
   * have called `inFolder`. Publishes `checkpoint.made`.
   */
  async make(now: WorkingTree, given: NewCheckpoint): Promise<CheckpointRow | undefined> {
    const { conv, checkpoint, kind } = given;
    const { store, transactions, bus, clock, findHidden } = this.parts;
    const { repository, tree } = now;
    const last = store.findLast(conv);
    const isKept = kind === 'rewind' || kind === 'revert' || kind === 'merge';
    const left_out = this.takeLeftOut(conv, now);
    if (last?.tree === tree && !isKept) return undefined;
    const [changes, commit_id] = await Promise.all([
      last ? compareTrees(repository, last.tree, tree, { renames: true }) : [],
      commitTree(now, last?.commit_id, `Checkpoint ${checkpoint} of ${conv}`),
    ]);
    // The trees may differ outside the folder. The commit, which no reference has, is then left to git's own cleaning.
    if (last && changes.length === 0 && !isKept) return undefined;
    const reference = referenceTo(conv, checkpoint);
    await repository.output([...DURABLE, 'update-ref', '-m', 'meshd', reference, commit_id]);
    const { record, ...facts } = given;
    const row: CheckpointRow = {
      ...{ ...facts, commit_id, tree, left_out, files: changes.length, hidden: findHidden(conv) },
      others: given.turn === null ? [] : this.listOthers(conv, given.turn),
      additions: changes.reduce((sum, { additions }) => sum + additions, 0),
      deletions: changes.reduce((sum, { deletions }) => sum + deletions, 0),
      created_ms: clock.now(),
    };
    await transactions.run((transaction) => {
      // Of a conversation that was deleted meanwhile nothing may stay; `removeGone` has its references.
      this.parts.conversations.row(conv);
      store.put(transaction, row);
      record?.(transaction);
      transaction.afterCommit(() => bus.publish('checkpoint.made', { conv, checkpoint }));
    });
    return row;
  }

  /** Finds a checkpoint. Throws `not_found`. */
  find(conv: string, checkpoint: string): CheckpointRow {
    const row = this.parts.store.find(conv, checkpoint);
    if (row) return row;
    throw new MeshError('not_found', `There is no checkpoint \`${checkpoint}\` in this conversation.`);
  }

  /** Finds the tree of a checkpoint or of `base`. Throws `not_found`. */
  async treeOf(conv: string, name: string, repository: GitRepository): Promise<string> {
    if (name !== CHANGES_BASE) return this.find(conv, name).tree;
    return findBeginning(repository, this.find(conv, CHECKPOINT_START), this.parts.worktreeOf(conv));
  }

  /** Removes the references of deleted conversations, now if the repository can be changed, else at the next start. */
  async removeGone(): Promise<void> {
    const { store, transactions, trees } = this.parts;
    for (const conv of store.listGone()) {
      try {
        await this.inFolder(conv, async (folder) => {
          this.leftOut.delete(conv);
          const repository = await trees.open(folder);
          if (!repository) return;
          const listed = await repository.output(['for-each-ref', '--format=%(refname)', `refs/meshd/${conv}/`]);
          const references = listed.split('\n').filter((line) => line !== '');
          const input = references.map((reference) => `delete ${reference}\n`).join('');
          await repository.output([...DURABLE, 'update-ref', '--stdin'], { input });
          await transactions.run((transaction) => store.dropGone(transaction, conv));
        });
      } catch (error) {
        this.parts.onError(error, 'the checkpoints of a deleted conversation could not be removed', conv);
      }
    }
  }

  private async makeDue(conv: string, turn: string): Promise<void> {
    const { store, trees, turns, transactions } = this.parts;
    if (this.isStopping) return;
    try {
      await this.inFolder(conv, async (folder) => {
        const row = turns.find(turn);
        if (!row) return;
        const now = await trees.take(folder, store.findLast(conv)?.tree);
        if (!now) throw new MeshError('internal', 'The folder is not in a working tree of git any more.');
        const record = (transaction: Transaction) => store.dropDue(transaction, turn);
        const given = { conv, checkpoint: turn, kind: 'turn', turn, last_seq: row.seq, record } as const;
        const made = await this.make(now, given);
        if (!made) await transactions.run(record);
      });
    } catch (error) {
      if (!turns.find(turn)) return void this.removeGone();
      this.parts.onError(error, 'the checkpoint of a turn could not be made', conv);
      await transactions
        .run((transaction) => store.putDue(transaction, { turn, conv, problem: getErrorMessage(error) }))
        .catch(() => undefined);
    }
  }

  /** Returns the other conversations that worked in the same folder during a turn. */
  private listOthers(conv: string, turn: string): string[] {
    const { store, folderOf } = this.parts;
    const folder = folderOf(conv);
    return store
      .listMeanwhile(conv, turn)
      .filter((other) => folderOf(other) === folder)
      .slice(0, LISTED_MAX);
  }

  /** Returns the files that are left out and have changed since the last snapshot for the conversation. */
  private takeLeftOut(conv: string, { leftOut }: WorkingTree): Checkpoint['left_out'] {
    const before = this.leftOut.get(conv) ?? new Map<string, string>();
    this.leftOut.set(conv, leftOut);
    const changed = [...leftOut].filter(([path, stamp]) => before.get(path) !== stamp).map(([path]) => path);
    return changed.slice(0, LISTED_MAX);
  }
}
