import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Conversation } from '../../contract/conversations.js';
import type { MeshEvent } from '../../contract/events.js';
import { Bus } from '../../events/bus.js';
import type { WorktreeBase } from '../../features/checkpoints/beginning.js';
import { ConversationChanges } from '../../features/checkpoints/changes.js';
import { Checkpoints } from '../../features/checkpoints/checkpoints.js';
import { type CheckpointRow, CheckpointsStore } from '../../features/checkpoints/checkpoints-store.js';
import { Rewinds } from '../../features/checkpoints/rewinds.js';
import { SetAsideStore } from '../../features/checkpoints/set-aside.js';
import { ConversationsStore } from '../../features/conversations/conversations-store.js';
import type { Runnable } from '../../features/conversations/turn-change.js';
import { type TurnRow, TurnsStore } from '../../features/conversations/turns-store.js';
import { getErrorMessage, unknownId } from '../../lib/errors.js';
import { Database } from '../../storage/database/database.js';
import { Transactions } from '../../storage/database/transaction.js';
import { WorkingTrees } from '../../storage/git/working-trees.js';
import { FakeClock } from '../fake-clock.js';
import { putTemplateDatabase } from '../template-database.js';
import { temporaryFolder } from '../temporary-folder.js';

const environment = { PATH: process.env['PATH'], HOME: '/nonexistent' };

const NEW_CONVERSATION = {
  ...{ member: null, agent_type: 'custom', title: '', client: null, model: null, effort: null },
  ...{ isolation: null, place_of: null, from_outside: 0 },
};

/** A checkpoint without a commit. */
export const aCheckpoint = (given: Partial<CheckpointRow> = {}): CheckpointRow => ({
  ...{ conv: 'conv-a', checkpoint: 'start', kind: 'start', turn: null, commit_id: 'c0', tree: 't0' },
  ...{ files: 0, additions: 0, deletions: 0, left_out: [], others: [], last_seq: 0, hidden: [], created_ms: 0 },
  ...given,
});

/** What a turn runs whose agent may edit files, unless `given` says otherwise. */
export const aRunnable = (given: object = {}, tools: readonly string[] = ['edit']): Runnable =>
  ({ client: {}, client_resolved: 'acp', member: { tools }, ...given }) as unknown as Runnable;

/** The database of conversations and their checkpoints, with the conversation `conv-a`. */
export function conversationRows() {
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  const transactions = new Transactions(database);
  const store = new CheckpointsStore(database);
  const turns = new TurnsStore(database);
  const conversations = new ConversationsStore(database);
  const addConversation = (conv: string, given: object = {}) =>
    transactions.run((transaction) =>
      conversations.put(transaction, { ...NEW_CONVERSATION, conv, created_ms: 0, ...given }),
    );
  return {
    ...{ database, transactions, store, turns, conversations, addConversation },
    ...{ aside: new SetAsideStore(database), sql: (text: string) => database.sql(text) },
    addCheckpoint: (row: Partial<CheckpointRow>) =>
      transactions.run((transaction) => store.put(transaction, aCheckpoint(row))),
    /** Adds a turn that has run from 100 to 200 ms, or as `given`. */
    async addTurn(turn: string, given: Partial<TurnRow> = {}): Promise<TurnRow> {
      const row = { turn, conv: 'conv-a', profile: 'operator', text: '', created_ms: 0, ...given } as const;
      await transactions.run((transaction) => {
        turns.put(transaction, { ...row });
        const { state = 'ended', started_ms = 100, finished_ms = state === 'ended' ? 200 : null } = given;
        transaction
          .sql('UPDATE turns SET state = ?, started_ms = ?, finished_ms = ? WHERE turn = ?')
          .run(state, started_ms, finished_ms, turn);
      });
      return turns.find(turn) as TurnRow;
    },
    addMessage: (turn: string, text: string, given: object = {}) =>
      transactions.run((transaction) =>
        conversations.putMessage(transaction, {
          ...{ id: `msg-${text}`, conv: 'conv-a', turn, role: 'user', text, created_ms: 0, ...given },
        }),
      ),
  };
}

/** Checkpoints of the conversations that work in `root`, without the rest of the daemon. */
export async function checkpointParts(root: string) {
  const rows = conversationRows();
  const { transactions, store, turns, aside, conversations: conversationsStore } = rows;
  await rows.addConversation('conv-a');
  const clock = new FakeClock();
  const bus = new Bus(clock);
  const published: MeshEvent[] = [];
  bus.watch((event) => void published.push(event));
  const errors: [what: string, conv: string, message: string][] = [];
  const folders = new Map<string, string>();
  const worktrees = new Map<string, WorktreeBase>();
  const forkFiles: [conv: string, folder: string][] = [];
  const trees = new WorkingTrees(join(temporaryFolder(), 'indexes'), environment);
  const folderOf = (conv: string) => folders.get(conv) ?? root;
  const conversations = {
    row: (conv: string) => {
      const row = conversationsStore.find(conv);
      if (!row) throw unknownId('conversation', conv);
      return row;
    },
    get: (conv: string) => ({ conv }) as Conversation,
  };
  const onError = (error: unknown, what: string, conv: string) =>
    void errors.push([what, conv, getErrorMessage(error)]);
  const checkpoints = new Checkpoints({
    ...{ transactions, store, turns, conversations, trees, folderOf, bus, clock, onError },
    worktreeOf: (conv) => worktrees.get(conv),
    findHidden: (conv) => aside.findHidden(conv),
    putForkFiles: async (conv, folder) => void forkFiles.push([conv, folder]),
  });
  onTestFinished(() => checkpoints.stop());
  const changes = new ConversationChanges({
    ...{ conversations, checkpoints, trees, hasCheckpoint: (conv) => store.findLast(conv) !== undefined },
  });
  const rewinds = new Rewinds({
    ...{ transactions, checkpoints, store, aside, conversations, conversationsStore, turns, trees },
    ...{ folderOf, bus, onError },
  });
  return {
    ...{ ...rows, root, clock, bus, published, errors, folders, worktrees, forkFiles, trees, folderOf, onError },
    ...{ checkpoints, changes, rewinds, conversationRows: conversations },
    /** Opens the repository of `root`. */
    async repository(folder = root) {
      const opened = await trees.open(folder);
      if (!opened) throw new Error('There is no repository.');
      return opened;
    },
    /** Prepares and ends a turn, between which `work` changes files, and waits until its checkpoint is made. */
    async runTurn(turn: string, work: () => void, given: Partial<TurnRow> = {}): Promise<CheckpointRow | undefined> {
      const row = await rows.addTurn(turn, given);
      await checkpoints.prepareTurn(row, aRunnable());
      work();
      await transactions.run((transaction) => checkpoints.follow({ kind: 'ended', turn: row } as never, transaction));
      await checkpoints.inFolder(row.conv, async () => undefined);
      return store.find(row.conv, turn);
    },
  };
}
