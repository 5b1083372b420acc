import { ConversationChanges } from '../../features/checkpoints/changes.js';
import { Checkpoints } from '../../features/checkpoints/checkpoints.js';
import { checkpointsRoutes } from '../../features/checkpoints/checkpoints-routes.js';
import { CheckpointsStore } from '../../features/checkpoints/checkpoints-store.js';
import { Forks } from '../../features/checkpoints/forks.js';
import { ForksStore } from '../../features/checkpoints/forks-store.js';
import { Rewinds } from '../../features/checkpoints/rewinds.js';
import { SetAsideStore } from '../../features/checkpoints/set-aside.js';
import { ConversationsStore } from '../../features/conversations/conversations-store.js';
import type { Worktrees } from '../../features/worktrees/worktrees.js';
import { inState } from '../../private/private-names.js';
import { WorkingTrees } from '../../storage/git/working-trees.js';
import type { ConversationsArea } from '../compose-conversations.js';
import type { Core } from '../core.js';

export interface CheckpointsArea {
  checkpoints: Checkpoints;
  changes: ConversationChanges;
  /** Finishes what the previous daemon process left undone. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Composes checkpoints of the files of conversations, with their routes. */
export async function composeCheckpoints(
  { app, bus, clock, config, database, folder, transactions, logError }: Core,
  { conversations, messages, runs, turns }: ConversationsArea,
  worktrees: Pick<Worktrees, 'folderOf' | 'providedIn' | 'find'>,
): Promise<CheckpointsArea> {
  const folderOf = (conv: string) => worktrees.folderOf(conv);
  const store = new CheckpointsStore(database);
  const trees = new WorkingTrees(inState(folder.state, 'checkpoints'), config.environment, (place) =>
    worktrees.providedIn(place),
  );
  const aside = new SetAsideStore(database);
  const onError = (error: unknown, what: string, conv: string) => logError(error, what, { conv });
  const checkpoints = new Checkpoints({
    ...{ transactions, store, turns, conversations, trees, folderOf, bus, clock, onError },
    worktreeOf: (conv) => worktrees.find(conv),
    findHidden: (conv) => aside.findHidden(conv),
    putForkFiles: (conv, place) => forks.putFiles(conv, place),
  });
  const forks = new Forks({
    ...{ transactions, conversations, messages, checkpoints, trees, store: new ForksStore(database) },
    isApart: (conv) => folderOf(conv) !== config.root,
  });
  const rewinds = new Rewinds({
    ...{ transactions, checkpoints, store, aside, conversations, turns, trees, folderOf, bus, onError },
    conversationsStore: new ConversationsStore(database),
  });
  const hasCheckpoint = (conv: string) => store.findLast(conv) !== undefined;
  const changes = new ConversationChanges({ conversations, checkpoints, hasCheckpoint, trees });
  runs.prepare((turn, runnable) => checkpoints.prepareTurn(turn, runnable));
  runs.follow((change, transaction) => checkpoints.follow(change, transaction));
  conversations.onRemoved(() => void checkpoints.removeGone());
  await app.register(checkpointsRoutes, { checkpoints, changes, rewinds, forks });
  return {
    checkpoints,
    changes,
    async start() {
      await trees.clear();
      // First, so that no checkpoint holds files that are half put back.
      rewinds.start();
      checkpoints.start();
    },
    stop: () => checkpoints.stop(),
  };
}
