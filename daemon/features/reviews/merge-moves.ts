import { getErrorMessage, MeshError } from '../../lib/errors.js';
import type { Transaction, Transactions } from '../../storage/database/transaction.js';
import type { GitRepository } from '../../storage/git/git-repository.js';
import { PlaceUpdate } from '../../storage/git/place-update.js';
import { DURABLE } from '../../storage/git/snapshot.js';
import type { MergeMove, MergeMovesStore } from './merge-moves-store.js';

/** The steps of a merge in their order. A process may be killed before and after each. */
export const MERGE_STEPS = ['locked', 'moving', 'files', 'branch', 'index', 'unlocked', 'worktree', 'done'] as const;
export type MergeStep = (typeof MERGE_STEPS)[number];

interface MergeMovesParts {
  transactions: Pick<Transactions, 'run'>;
  store: MergeMovesStore;
  openAt: (folder: string) => Promise<GitRepository | undefined>;
  /** Records where the changes of a conversation's worktree count from. */
  moveBase: (transaction: Transaction, conv: string, commit: string) => void;
  onFailed: (error: unknown, message: string) => void;
  /** Awaited after each step: for tests. */
  after?: (step: MergeStep) => Promise<void>;
}

const branchRef = (branch: string) => `refs/heads/${branch}`;

/**
 * Moves a branch to a merged commit, together with the files and the index of the folder in which it is checked out, and
 * brings the conversation's worktree to the same commit. What was begun is recorded first, so that the next process
 * finishes it, or drops it when nothing was changed: the branch is at the old commit or at the new one, never between.
 */
export class MergeMoves {
  constructor(private readonly parts: MergeMovesParts) {}

  /** Finishes or drops what an earlier process left. Must be called before any turn starts. */
  async start(): Promise<void> {
    for (const move of this.parts.store.list()) await this.resume(move);
  }

  /** Tries again to finish the merges of a conversation whose worktree could not follow. */
  async finish(conv: string): Promise<void> {
    for (const move of this.parts.store.list()) if (move.conv === conv) await this.resume(move);
  }

  /**
   * Moves the branch. Throws `file_changed` when it has moved since or files of its folder have changes that are not
   * committed, and `in_flight` when another git works there; then nothing was changed.
   */
  async run(given: Omit<MergeMove, 'seq' | 'state'>): Promise<void> {
    const { transactions, store } = this.parts;
    const seq = await transactions.run((transaction) => store.put(transaction, given));
    const move: MergeMove = { ...given, seq, state: 'begun' };
    const repository = await this.open(move.worktree);
    const place = move.place === null ? undefined : await this.enter(move, move.place);
    await this.step('locked');
    await transactions.run((transaction) => store.putMoving(transaction, seq));
    await this.step('moving');
    try {
      await place?.putFiles();
      await this.step('files');
      await this.moveBranch(repository, move);
    } catch (error) {
      // The record stays when this fails, too: the next process takes the same way.
      await this.revertMove(move, place);
      throw error;
    }
    await this.step('branch');
    await place?.putIndex();
    await this.step('index');
    await place?.unlock();
    await this.step('unlocked');
    await this.follow(repository, move);
  }

  private step(step: MergeStep): Promise<void> | undefined {
    return this.parts.after?.(step);
  }

  private async open(folder: string): Promise<GitRepository> {
    const repository = await this.parts.openAt(folder);
    if (!repository) throw new MeshError('internal', `${folder} is not in a git repository any more.`);
    return repository;
  }

  /** Locks the folder in which the branch is checked out. Drops the move when its files cannot be changed. */
  private async enter(move: MergeMove, folder: string): Promise<PlaceUpdate> {
    const { before_commit: before, after_commit: after, lock_name: name } = move;
    let place: PlaceUpdate | undefined;
    try {
      const repository = await this.open(folder);
      place = await PlaceUpdate.lock(repository, { before, after, name });
      await this.requireOnBranch(repository, move);
      await place.requireClean();
      return place;
    } catch (error) {
      await place?.unlock();
      await this.drop(move);
      throw error;
    }
  }

  private async requireOnBranch(repository: GitRepository, { branch, before_commit }: MergeMove): Promise<void> {
    const [name, head] = [
      await repository.run(['symbolic-ref', '-q', 'HEAD']),
      await repository.run(['rev-parse', 'HEAD']),
    ];
    if (name.stdout.trim() !== branchRef(branch) || head.stdout.trim() !== before_commit)
      throw new MeshError('file_changed', `\`${branch}\` has moved since, or is no longer checked out: look again.`);
  }

  private async moveBranch(repository: GitRepository, { branch, before_commit, after_commit, conv }: MergeMove) {
    const reason = ['-m', `meshd: merge of ${conv}`];
    const { code, stderr } = await repository.run([
      ...[...DURABLE, 'update-ref', ...reason, branchRef(branch), after_commit, before_commit],
    ]);
    if (code === 0) return;
    const now = (await repository.run(['rev-parse', '--verify', '-q', branchRef(branch)])).stdout.trim();
    // A process that was killed had moved it already.
    if (now === after_commit) return;
    if (now !== before_commit) throw new MeshError('file_changed', `\`${branch}\` has moved since: look again.`);
    // The first line names the lock; what git advises below does not.
    throw new MeshError('in_flight', `\`${branch}\` could not be moved: ${stderr.trim().split('\n')[0]}`);
  }

  /** Puts the files back as they were before a move that failed. */
  private async revertMove(move: MergeMove, place: PlaceUpdate | undefined): Promise<void> {
    if (move.place !== null && place) {
      const back = { before: move.after_commit, after: move.before_commit, name: move.lock_name };
      const repository = await this.open(move.place);
      await (await PlaceUpdate.lock(repository, back)).resumeFiles({ freshIndex: false });
      await place.unlock();
    }
    await this.drop(move);
  }

  private drop({ seq }: MergeMove): Promise<void> {
    return this.parts.transactions.run((transaction) => this.parts.store.drop(transaction, seq));
  }

  private async resume(move: MergeMove): Promise<void> {
    try {
      const worktree = await this.parts.openAt(move.worktree);
      const place = move.place === null ? undefined : await this.parts.openAt(move.place);
      const repository = worktree ?? place;
      if (!repository) return await this.drop(move);
      const at = (await repository.run(['rev-parse', '--verify', '-q', branchRef(move.branch)])).stdout.trim();
      const isOurs = at === move.before_commit || at === move.after_commit;
      if (place) await this.resumePlace(move, place, isOurs);
      if (move.state === 'begun' || !isOurs || !worktree) return await this.drop(move);
      await this.moveBranch(repository, move);
      await this.follow(repository, move);
    } catch (error) {
      this.parts.onFailed(error, 'a merge that was cut off could not be finished; it is tried again');
    }
  }

  /** Finishes the files and index of the place, or only gives its lock back. */
  private async resumePlace(move: MergeMove, repository: GitRepository, isOurs: boolean): Promise<void> {
    const { before_commit: before, after_commit: after, lock_name: name } = move;
    const place = await PlaceUpdate.lock(repository, { before, after, name });
    const branch = (await repository.run(['symbolic-ref', '-q', 'HEAD'])).stdout.trim();
    if (move.state === 'moving' && isOurs && branch === branchRef(move.branch)) {
      await place.resumeFiles({ freshIndex: false });
      await this.moveBranch(repository, move);
      await place.putIndex();
    }
    await place.unlock();
  }

  /**
   * Brings the worktree to the merged commit, so that what follows is measured from there. Files that changed since the
   * merge stay as they are. A worktree that cannot follow now does so at the next merge or start.
   */
  private async follow(repository: GitRepository, move: MergeMove): Promise<void> {
    const { transactions, store, moveBase, onFailed } = this.parts;
    const { conv, tip, head, after_commit: after, lock_name: name, seq } = move;
    try {
      const now = (await repository.run(['rev-parse', '--verify', '-q', 'HEAD'])).stdout.trim();
      const canFollow = now === head || now === after;
      if (canFollow) {
        const keep = `refs/meshd/${conv}/merged-${tip.slice(0, 12)}`;
        await repository.output([...DURABLE, 'update-ref', keep, tip]);
        const place = await PlaceUpdate.lock(repository, { before: tip, after, name });
        await place.resumeFiles({ freshIndex: true });
        if (now === head)
          await repository.output([...DURABLE, 'update-ref', '-m', 'meshd: merged', 'HEAD', after, head]);
        await place.putIndex();
        await place.unlock();
      }
      await this.step('worktree');
      await transactions.run((transaction) => {
        if (canFollow) moveBase(transaction, conv, after);
        store.drop(transaction, seq);
      });
      await this.step('done');
    } catch (error) {
      onFailed(error, `the worktree of ${conv} could not follow its merge yet: ${getErrorMessage(error)}`);
    }
  }
}
