import { AskStore } from '../features/asks/ask-store.js';
import { ConversationsStore } from '../features/conversations/conversations-store.js';
import { RefusedCallCounter } from '../features/usage/refused-calls.js';
import { RefusedStore } from '../features/usage/refused-store.js';
import { Usage } from '../features/usage/usage.js';
import { usageRoutes } from '../features/usage/usage-routes.js';
import { UsageStore } from '../features/usage/usage-store.js';
import type { ConversationsArea } from './compose-conversations.js';
import type { Server } from './compose-server.js';
import type { TeamArea } from './compose-team.js';
import type { Core } from './core.js';

/** Composes usage over time, and the counters of calls that were refused. */
export async function composeUsage(
  { app, clock, database, transactions }: Core,
  server: Pick<Server, 'onRefused'>,
  { team }: Pick<TeamArea, 'team'>,
  { runs }: Pick<ConversationsArea, 'runs'>,
): Promise<Usage> {
  const refusedStore = new RefusedStore(database);
  const isMember = (id: string) => team.serving(id) !== undefined;
  const refused = new RefusedCallCounter({ transactions, store: refusedStore, clock, isMember });
  const [asks, conversations] = [new AskStore(database), new ConversationsStore(database)];
  const usage = new Usage({
    ...{ transactions, store: new UsageStore(database), refusedStore, refused, clock },
    findCaller: (turn) => asks.findByTurn(turn)?.caller,
    findMember: (conv) => conversations.find(conv)?.member ?? undefined,
  });
  runs.follow((change, transaction) => usage.follow(change, transaction));
  server.onRefused((call) => refused.count(call));
  await app.register(usageRoutes, { usage, refused });
  return usage;
}
