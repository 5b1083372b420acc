import { AskStore } from '../features/asks/ask-store.js';
import { BudgetMeter } from '../features/budgets/budget-meter.js';
import { BudgetReview } from '../features/budgets/budget-review.js';
import { parseScope } from '../features/budgets/budget-scope.js';
import { Budgets } from '../features/budgets/budgets.js';
import { budgetsRoutes } from '../features/budgets/budgets-routes.js';
import { BudgetsStore } from '../features/budgets/budgets-store.js';
import { AskedTurnsStore } from '../features/conversations/asked-turns-store.js';
import { formatTitle } from '../features/conversations/conversation-title.js';
import { ConversationsStore } from '../features/conversations/conversations-store.js';
import { TurnCancelledError } from '../features/conversations/turn-cancelled.js';
import { TurnsStore } from '../features/conversations/turns-store.js';
import { RefusedCallCounter } from '../features/usage/refused-calls.js';
import { RefusedStore } from '../features/usage/refused-store.js';
import { Usage } from '../features/usage/usage.js';
import { usageRoutes } from '../features/usage/usage-routes.js';
import { UsageStore } from '../features/usage/usage-store.js';
import type { ConversationsArea } from './compose-conversations.js';
import type { Server } from './compose-server.js';
import type { TeamArea } from './compose-team.js';
import type { Core } from './core.js';

export interface UsageArea {
  usage: Usage;
  budgets: Budgets;
}

/** Composes usage over time, the counters of calls that were refused, and the limits on what turns may spend. */
export async function composeUsage(
  core: Core,
  server: Pick<Server, 'onRefused'>,
  { team }: Pick<TeamArea, 'team'>,
  { runs }: Pick<ConversationsArea, 'runs'>,
): Promise<UsageArea> {
  const { app, clock, database, transactions } = core;
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
  return { usage, budgets: await composeBudgets(core, team, runs) };
}

async function composeBudgets(
  { app, bus, clock, database, transactions }: Core,
  team: TeamArea['team'],
  runs: ConversationsArea['runs'],
): Promise<Budgets> {
  const store = new BudgetsStore(database);
  const conversations = new ConversationsStore(database);
  const turns = new TurnsStore(database);
  const asked = new AskedTurnsStore(database);
  const review = new BudgetReview({ store, bus, clock });
  const meter = new BudgetMeter({
    ...{ transactions, store, review, turns, asked, runs, clock },
    findMember: (conv) => conversations.find(conv)?.member,
    onChanged: (scope) => bus.publish('budget.changed', { scope }),
    toReason: (message) => new TurnCancelledError('failed', 'budget_exceeded', message),
  });
  const findName = (scope: string) => {
    const parsed = parseScope(scope);
    if (parsed?.kind === 'day') return '';
    if (parsed?.kind === 'member') return team.serving(parsed.member)?.name;
    const row = parsed && conversations.find(parsed.conv);
    return row && formatTitle(row);
  };
  const budgets = new Budgets({ transactions, store, meter, review, turns, runs, bus, clock, findName });
  runs.setGate(meter);
  runs.follow((change, transaction) => meter.follow(change, transaction));
  await app.register(budgetsRoutes, { budgets });
  return budgets;
}
