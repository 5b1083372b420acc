import { CHANGES_BASE, type RevertChange, type Rewind, type Rewound } from '../../contract/work/changes.js';
import type { Bus } from '../../events/bus.js';
import { MeshError } from '../../lib/errors.js';
import type { Transactions } from '../../storage/database/transaction.js';
import { putBack, removeIncoming } from '../../storage/git/put-back.js';
import { compareTrees } from '../../storage/git/tree-comparison.js';
import { type HunkChange, revertFiles, revertHunk } from '../../storage/git/tree-reverts.js';
import type { WorkingTree, WorkingTrees } from '../../storage/git/working-trees.js';
import type { Conversations } from '../conversations/conversations.js';
import type { ConversationsStore } from '../conversations/conversations-store.js';
import type { TurnsStore } from '../conversations/turns-store.js';
import type { Checkpoints } from './checkpoints.js';
import { type CheckpointRow, type CheckpointsStore, checkpointView } from './checkpoints-store.js';
import { addRange, type SeqRanges } from './seq-ranges.js';
import type { RewindRow, SetAsideStore } from './set-aside.js';

const SKIPPED_MAX = 20;

interface RewindsParts {
  transactions: Transactions;
  checkpoints: Checkpoints;
  store: CheckpointsStore;
  aside: SetAsideStore;
  conversations: Pick<Conversations, 'row'>;
  conversationsStore: Pick<ConversationsStore, 'putChange'>;
  turns: Pick<TurnsStore, 'listOpen'>;
  trees: WorkingTrees;
  folderOf: (conv: string) => string;
  bus: Bus;
  onError: (error: unknown, what: string, conv: string) => void;
}

/**
 * Takes files, messages or both back to an earlier state. What they were is kept as a checkpoint first; a change of
 * files that is cut off is finished by the next start. Contract: Changes.
 */
export class Rewinds {
  constructor(private readonly parts: RewindsParts) {}

  /** Finishes what the previous daemon process left under way, in the background. Must precede every turn. */
  start(): void {
    for (const { conv } of this.parts.aside.listRewinds())
      this.parts.checkpoints
        .inFolder(conv, (folder) => this.finishCutOff(conv, folder))
        .catch((error: unknown) => this.parts.onError(error, 'a rewind could not be finished', conv));
  }

  /**
   * Returns to a checkpoint. Throws `not_found`, `in_flight` while a turn runs in the folder or waits in the
   * conversation, and `no_space`: it is then finished by the next rewind or start. Publishes `checkpoint.made` and
   * `conversation.updated`.
   */
  rewind(conv: string, { checkpoint, what }: Rewind): Promise<Rewound> {
    return this.change(conv, 'rewind', async (now) => {
      const { checkpoints, store } = this.parts;
      const { tree, hidden, last_seq } = checkpoints.find(conv, checkpoint);
      return {
        target: what === 'conversation' ? now.tree : tree,
        hidden: what === 'files' ? null : addRange(hidden, last_seq + 1, store.lastSeq(conv)),
      };
    });
  }

  /**
   * Takes one file, or one hunk of it, back to how it was. Throws like `rewind`, `not_found` when the file did not
   * change, and `file_changed` when it no longer holds the hunk.
   */
  revert(conv: string, { path, from = CHANGES_BASE, hunk }: RevertChange): Promise<Rewound> {
    return this.change(conv, 'revert', async ({ repository, tree }) => {
      const { checkpoints, trees } = this.parts;
      const old = await checkpoints.treeOf(conv, from, repository);
      const changes = await compareTrees(repository, old, tree, { renames: true });
      const change = changes.find((one) => one.path === path);
      if (!change || change.isSubmodule)
        throw new MeshError('not_found', `\`${path.slice(0, 200)}\` did not change since ${from}.`);
      const state: HunkChange = { repository, tree, index: trees.newPath('.index') };
      if (hunk !== undefined) return { target: await revertHunk(state, path, hunk), hidden: null };
      const paths = change.oldPath === null ? [path] : [path, change.oldPath];
      return { target: await revertFiles(state, old, paths), hidden: null };
    });
  }

  private async change(
    conv: string,
    kind: 'rewind' | 'revert',
    choose: (now: WorkingTree) => Promise<{ target: string; hidden: SeqRanges | null }>,
  ): Promise<Rewound> {
    const { conversations, checkpoints, store, aside, trees } = this.parts;
    conversations.row(conv);
    return checkpoints.inFolder(conv, async (folder) => {
      this.requireIdle(conv, folder);
      await this.finishCutOff(conv, folder);
      const now = await trees.take(folder);
      if (!now) throw new MeshError('not_found', await trees.findProblem(folder));
      const journal = { conv, kept: store.nextKept(conv), ...(await choose(now)) };
      const kept = await checkpoints.make(now, {
        ...{ conv, kind, checkpoint: journal.kept, turn: null, last_seq: store.lastSeq(conv) },
        record: (transaction) => aside.putRewind(transaction, journal),
      });
      return this.finish(journal, now, kept);
    });
  }

  private async finish(journal: RewindRow, now: WorkingTree, kept: CheckpointRow | undefined): Promise<Rewound> {
    const { transactions, aside, conversationsStore, trees, bus } = this.parts;
    const { conv, target, hidden } = journal;
    const { files, skipped } = await putBack(trees, now, target);
    const messages = await transactions.run((transaction) => {
      aside.dropRewind(transaction, conv);
      transaction.afterCommit(() => bus.publish('conversation.updated', { conv }));
      if (hidden === null) return 0;
      // An agent's session holds messages that the conversation no longer has.
      conversationsStore.putChange(transaction, conv, { sessions: '{}' });
      return aside.putHidden(transaction, conv, hidden);
    });
    const view = kept ? checkpointView(kept) : null;
    return { conv, kept: view, files, skipped: skipped.slice(0, SKIPPED_MAX), messages };
  }

  /** Finishes a change of files that was cut off. Files that others changed since are kept first. */
  private async finishCutOff(conv: string, folder: string): Promise<void> {
    const { checkpoints, store, aside, trees } = this.parts;
    const [journal] = aside.listRewinds(conv);
    if (!journal) return;
    const repository = await trees.open(folder);
    if (!repository) throw new MeshError('internal', await trees.findProblem(folder));
    const from = checkpoints.find(conv, journal.kept).tree;
    await removeIncoming(repository, from, journal.target);
    const now = await trees.takeOpened(repository);
    const options = { renames: false };
    const unlikeOld = await compareTrees(repository, from, now.tree, options);
    const unlikeNew = new Set(
      (await compareTrees(repository, journal.target, now.tree, options)).map((one) => one.path),
    );
    if (unlikeOld.some(({ path }) => unlikeNew.has(path))) {
      const last_seq = store.lastSeq(conv);
      await checkpoints.make(now, { conv, checkpoint: store.nextKept(conv), kind: 'rewind', turn: null, last_seq });
    }
    await this.finish(journal, now, undefined);
  }

  private requireIdle(conv: string, folder: string): void {
    const { turns, folderOf } = this.parts;
    const open = turns.listOpen();
    if (open.some((turn) => turn.conv === conv))
      throw new MeshError(
        'in_flight',
        'A turn of this conversation runs or waits: cancel it first, or wait for its end.',
      );
    const other = open.find((turn) => turn.state === 'running' && folderOf(turn.conv) === folder);
    if (!other) return;
    throw new MeshError('in_flight', `${other.conv} works in the same folder: cancel its turn, or wait for its end.`, {
      details: { conv: other.conv },
    });
  }
}
