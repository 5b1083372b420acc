import { ConversationChanges } from '../features/checkpoints/changes.js';
import { Checkpoints } from '../features/checkpoints/checkpoints.js';
import { checkpointsRoutes } from '../features/checkpoints/checkpoints-routes.js';
import { CheckpointsStore } from '../features/checkpoints/checkpoints-store.js';
import { inState } from '../private/private-names.js';
import { WorkingTrees } from '../storage/git/working-trees.js';
import type { ConversationsArea } from './compose-conversations.js';
import type { Core } from './core.js';

export interface CheckpointsArea {
  checkpoints: Checkpoints;
  /** Finishes what the previous daemon process left undone. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Composes checkpoints of the files of conversations, with their routes. */
export async function composeCheckpoints(
  { app, bus, clock, config, database, folder, transactions, logError }: Core,
  { conversations, runs, turns }: Pick<ConversationsArea, 'conversations' | 'runs' | 'turns'>,
  folderOf: (conv: string) => string = () => config.root,
): Promise<CheckpointsArea> {
  const store = new CheckpointsStore(database);
  const trees = new WorkingTrees(inState(folder.state, 'checkpoints'), config.environment);
  const checkpoints = new Checkpoints({
    ...{ transactions, store, turns, conversations, trees, folderOf, bus, clock },
    findHidden: () => [],
    onError: (error, what, conv) => logError(error, what, { conv }),
  });
  const hasCheckpoint = (conv: string) => store.findLast(conv) !== undefined;
  const changes = new ConversationChanges({ conversations, checkpoints, hasCheckpoint, trees });
  runs.prepare((turn, runnable) => checkpoints.prepareTurn(turn, runnable));
  runs.follow((change, transaction) => checkpoints.follow(change, transaction));
  conversations.onRemoved(() => void checkpoints.removeGone());
  await app.register(checkpointsRoutes, { checkpoints, changes });
  return {
    checkpoints,
    async start() {
      await trees.clear();
      checkpoints.start();
    },
    stop: () => checkpoints.stop(),
  };
}
