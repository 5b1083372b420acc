import type { Conversation } from '../../contract/conversations.js';
import type { Fork } from '../../contract/work/changes.js';
import type { Transactions } from '../../storage/database/transaction.js';
import { putBack } from '../../storage/git/put-back.js';
import { DURABLE } from '../../storage/git/snapshot.js';
import type { WorkingTrees } from '../../storage/git/working-trees.js';
import type { Conversations } from '../conversations/conversations.js';
import type { Messages } from '../conversations/messages.js';
import { type Checkpoints, referenceTo } from './checkpoints.js';
import type { ForksStore } from './forks-store.js';

/** The name of the reference that keeps the files with which a fork begins. */
const FORK = 'fork';

interface ForksParts {
  transactions: Transactions;
  conversations: Pick<Conversations, 'row' | 'get' | 'requireFree' | 'putNew'>;
  messages: Pick<Messages, 'putNotice'>;
  checkpoints: Checkpoints;
  store: ForksStore;
  trees: WorkingTrees;
  /** Whether a conversation works in a folder of its own. */
  isApart: (conv: string) => boolean;
}

/** Continues a conversation from one of its checkpoints in a new one. Contract: Changes. */
export class Forks {
  constructor(private readonly parts: ForksParts) {}

  /**
   * Creates a conversation with the messages up to a checkpoint. Where the original works in a worktree, the new one
   * begins in its own with the checkpoint's files; files of the project folder stay as they are. Throws `not_found`,
   * `member_gone` and `singleton_busy`.
   */
  async fork(conv: string, { checkpoint }: Fork): Promise<Conversation> {
    const { transactions, conversations, messages, checkpoints, store, isApart } = this.parts;
    const row = conversations.row(conv);
    const from = checkpoints.find(conv, checkpoint);
    const hasFiles = isApart(conv);
    const forked = await transactions.run((transaction) => {
      if (row.member !== null) conversations.requireFree(row.member, undefined);
      const { conv: copy } = conversations.putNew(transaction, {
        ...(row.member === null ? {} : { member: row.member }),
        agent_type: row.agent_type as Conversation['agent_type'],
        title: row.title,
        client: row.client as Conversation['client'],
        model: row.model,
        effort: row.effort as Conversation['effort'],
        isolation: hasFiles ? 'worktree' : row.isolation,
      });
      store.copyMessages(transaction, from, copy);
      if (hasFiles) store.putTree(transaction, copy, from.tree);
      const files = hasFiles
        ? 'Its files begin as they were then.'
        : 'The files of the project are as they were before.';
      messages.putNotice(transaction, copy, `Copied from ${conv} as it was at ${checkpoint}. ${files}`);
      return copy;
    });
    if (hasFiles) await this.keepFiles(conv, forked, from.commit_id);
    return conversations.get(forked);
  }

  /** Must be called before the first turn of a fork works in its folder, in `inFolder`. */
  async putFiles(conv: string, folder: string): Promise<void> {
    const { store, trees, transactions, isApart } = this.parts;
    const tree = store.findTree(conv);
    if (tree === undefined || !isApart(conv)) return;
    const now = await trees.take(folder);
    if (!now) return;
    await putBack(trees, now, tree);
    await transactions.run((transaction) => store.putDone(transaction, conv));
  }

  /** Keeps the files although the original conversation may be deleted before the fork's first turn. */
  private async keepFiles(conv: string, fork: string, commit: string): Promise<void> {
    await this.parts.checkpoints.inFolder(conv, async (folder) => {
      const repository = await this.parts.trees.open(folder);
      await repository?.output([...DURABLE, 'update-ref', referenceTo(fork, FORK), commit]);
    });
  }
}
