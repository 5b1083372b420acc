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

/** Turns that run as long as a test lets them. */
class HandRuns {
  readonly running: RunningTurn[] = [];
  readonly interrupted: { turn: string; reason: TurnCancelledError }[] = [];
  readonly pumped = { times: 0 };

  listRunning(): RunningTurn[] {
    return this.running;
  }

  interrupt(turn: string, reason: TurnCancelledError): void {
    this.interrupted.push({ turn, reason });
  }

  pump(): void {
    this.pumped.times += 1;
  }
}

function openStore(clock: FakeClock) {
  const database = new Database(putTemplateDatabase(`${temporaryFolder()}/mesh.db`));
  const transactions = new Transactions(database);
  const [conversations, turns, asked, store] = [
    new ConversationsStore(database),
    new TurnsStore(database),
    new AskedTurnsStore(database),
    new BudgetsStore(database),
  ];
  const converse = (transaction: Transaction, conv: string, member: string | null) =>
    conversations.put(transaction, {
      ...{ conv, member, agent_type: '', title: '', client: null, model: null, effort: null, isolation: null },
      ...{ place_of: null, from_outside: 0, created_ms: clock.now() },
    });
  return { database, transactions, conversations, turns, asked, store, converse };
}

/**
 * Budgets over a store of their own, with turns that a test starts, moves and ends by hand. It has the conversation
 * `c1` of the member `guide`.
 */
export async function aBudget() {
  const clock = new FakeClock();
  const stores = openStore(clock);
  const { database, transactions, conversations, turns, asked, store } = stores;
  const bus = new Bus(clock);
  const events: MeshEvent[] = [];
  bus.watch((event) => events.push(event));
  const runs = new HandRuns();
  const review = new BudgetReview({ store, bus, clock });
  const meter = new BudgetMeter({
    ...{ transactions, store, review, turns, asked, runs, clock },
    findMember: (conv) => conversations.find(conv)?.member,
    onChanged: (scope) => bus.publish('budget.changed', { scope }),
    toReason: (message) => new TurnCancelledError('failed', 'budget_exceeded', message),
  });
  const gone = new Set<string>();
  const findName = (scope: string) => (scope.endsWith('nobody') || gone.has(scope) ? undefined : `name of ${scope}`);
  const budgets = new Budgets({ transactions, store, meter, review, turns, runs, bus, clock, findName });
  onTestFinished(() => {
    budgets.stop();
    database.close();
  });
  await transactions.run((transaction) => stores.converse(transaction, 'c1', 'guide'));
  await budgets.start();
  const { running, interrupted, pumped } = runs;
  return {
    ...{ budgets, meter, clock, running, interrupted, pumped },
    /** Scopes of members that are gone. */
    gone,
    ...turnMoves(stores, meter, runs, clock),
    write: <T>(change: (transaction: Transaction) => T) => transactions.run(change),
    /** The types and scopes of the events since the last call. */
    news: () => events.splice(0).map((event) => `${event.type} ${'scope' in event ? event.scope : ''}`),
  };
}

/** What a test does with turns. */
function turnMoves(
  { transactions, conversations, turns, asked, converse }: ReturnType<typeof openStore>,
  meter: BudgetMeter,
  { running }: HandRuns,
  clock: FakeClock,
) {
  const find = (turn: string) => turns.find(turn) as TurnRow;
  return {
    /** Stores a queued turn. A conversation that does not exist yet is one of `member`. */
    async queue(
      turn: string,
      { conv = 'c1', member = 'guide' as string | null, profile = 'operator' as TurnRow['profile'] } = {},
    ) {
      await transactions.run((transaction) => {
        if (!conversations.find(conv)) converse(transaction, conv, member);
        turns.put(transaction, { turn, conv, profile, text: '', created_ms: clock.now() });
      });
      return find(turn);
    },
    ask: (turn: TurnRow, asking: Asking) => transactions.run((transaction) => asked.put(transaction, turn, asking)),
    /** Starts a queued turn. */
    async start(turn: TurnRow, client = 'acp') {
      meter.starting(turn);
      const facts = { client, model: '', effort: '', started_ms: clock.now() };
      running.push({ turn, ranMs: 0, isPaused: false, usage: null });
      await transactions.run((transaction) => {
        turns.putStarted(transaction, turn.turn, facts);
        meter.follow({ kind: 'started', turn: find(turn.turn), client, model: '' }, transaction);
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
      await transactions.run((transaction) => {
        turns.putEnded(transaction, turn.turn, ending);
        meter.follow({ kind: 'ended', turn, ending, answer: null, runnable: undefined }, transaction);
      });
      const at = running.findIndex((other) => other.turn.turn === turn.turn);
      if (at >= 0) running.splice(at, 1);
    },
  };
}
