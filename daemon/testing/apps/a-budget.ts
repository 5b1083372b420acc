import { onTestFinished } from 'vitest';
import type { Usage } from '../../contract/conversations.js';
import type { MeshEvent } from '../../contract/events.js';
import { Bus } from '../../events/bus.js';
import { BudgetMeter } from '../../features/budgets/budget-meter.js';
import { BudgetReview } from '../../features/budgets/budget-review.js';
import { Budgets } from '../../features/budgets/budgets.js';
import { BudgetsStore } from '../../features/budgets/budgets-store.js';
import { AskedTurnsStore, type Asking } from '../../features/conversations/asked-turns-store.js';
import { ConversationsStore } from '../../features/conversations/conversations-store.js';
import { TurnCancelledError } from '../../features/conversations/turn-cancelled.js';
import type { RunningTurn } from '../../features/conversations/turn-change.js';
import { type TurnEnding, type TurnRow, TurnsStore } from '../../features/conversations/turns-store.js';
import { Database } from '../../storage/database/database.js';
import { type Transaction, Transactions } from '../../storage/database/transaction.js';
import { FakeClock } from '../fake-clock.js';
import { putTemplateDatabase } from '../template-database.js';
import { temporaryFolder } from '../temporary-folder.js';

/**
 * Budgets over a store of their own, with turns that a test starts, moves and ends by hand. It has the conversation
 * `c1` of the member `guide`.
 */
export async function aBudget({ path = `${temporaryFolder()}/mesh.db`, clock = new FakeClock() } = {}) {
  const database = new Database(putTemplateDatabase(path));
  const transactions = new Transactions(database);
  const bus = new Bus(clock);
  const [conversations, turns, asked, store] = [
    new ConversationsStore(database),
    new TurnsStore(database),
    new AskedTurnsStore(database),
    new BudgetsStore(database),
  ];
  const events: MeshEvent[] = [];
  bus.watch((event) => events.push(event));
  const running: RunningTurn[] = [];
  const interrupted: { turn: string; reason: TurnCancelledError }[] = [];
  const pumped = { times: 0 };
  const runs = {
    listRunning: () => running,
    interrupt: (turn: string, reason: TurnCancelledError) => void interrupted.push({ turn, reason }),
    pump: () => {
      pumped.times += 1;
    },
  };
  const review = new BudgetReview({ store, bus, clock });
  const meter = new BudgetMeter({
    ...{ transactions, store, review, turns, asked, runs, clock },
    findMember: (conv) => conversations.find(conv)?.member,
    onChanged: (scope) => bus.publish('budget.changed', { scope }),
    toReason: (message) => new TurnCancelledError('failed', 'budget_exceeded', message),
  });
  const findName = (scope: string) => (scope.endsWith('nobody') ? undefined : `name of ${scope}`);
  const budgets = new Budgets({ transactions, store, meter, review, turns, runs, bus, clock, findName });
  onTestFinished(() => {
    budgets.stop();
    database.close();
  });
  await budgets.start();

  const write = <T>(change: (transaction: Transaction) => T) => transactions.run(change);
  const converse = (transaction: Transaction, conv: string, member: string | null) =>
    conversations.put(transaction, {
      ...{ conv, member, agent_type: '', title: '', client: null, model: null, effort: null, isolation: null },
      ...{ place_of: null, from_outside: 0, created_ms: clock.now() },
    });
  await write((transaction) => converse(transaction, 'c1', 'guide'));
  const found = (turn: string) => turns.find(turn) as TurnRow;
  return {
    ...{ budgets, meter, store, clock, events, running, interrupted, pumped, path, database, write },
    /** The types and scopes of the events since the last call. */
    news: () => events.splice(0).map((event) => `${event.type} ${'scope' in event ? event.scope : ''}`),
    /** Stores a queued turn. A conversation that does not exist yet is one of `member`. */
    async queue(
      turn: string,
      { conv = 'c1', member = 'guide' as string | null, profile = 'operator' as TurnRow['profile'] } = {},
    ) {
      await write((transaction) => {
        if (!conversations.find(conv)) converse(transaction, conv, member);
        turns.put(transaction, { turn, conv, profile, text: '', created_ms: clock.now() });
      });
      return found(turn);
    },
    ask: (turn: TurnRow, asking: Asking) => write((transaction) => asked.put(transaction, turn, asking)),
    /** Starts a queued turn. */
    async start(turn: TurnRow, client = 'acp') {
      meter.starting(turn);
      const facts = { client, model: '', effort: '', started_ms: clock.now() };
      running.push({ turn, ranMs: 0, isPaused: false, usage: null });
      await write((transaction) => {
        turns.putStarted(transaction, turn.turn, facts);
        meter.follow({ kind: 'started', turn: found(turn.turn), client, model: '' }, transaction);
      });
    },
    /** Reports what a running turn has taken so far. */
    report(turn: TurnRow, usage: Usage | null, ranMs = 0) {
      const one = running.find((other) => other.turn.turn === turn.turn);
      if (one) Object.assign(one, { usage, ranMs });
      meter.reported();
    },
    async end(turn: TurnRow, usage: Usage | null, outcome: TurnEnding['outcome'] = 'answered') {
      const ending: TurnEnding = { outcome, code: null, reason: null, usage, finished_ms: clock.now() };
      await write((transaction) => {
        turns.putEnded(transaction, turn.turn, ending);
        meter.follow({ kind: 'ended', turn, ending, answer: null, runnable: undefined }, transaction);
      });
      const at = running.findIndex((other) => other.turn.turn === turn.turn);
      if (at >= 0) running.splice(at, 1);
    },
  };
}
