import type { BudgetState } from '../../contract/work/budgets.js';
import type { Bus } from '../../events/bus.js';
import type { Clock } from '../../lib/time/clock.js';
import { toLocalDay } from '../../lib/time/local-day.js';
import type { Transaction } from '../../storage/database/transaction.js';
import { isDaily } from './budget-scope.js';
import { largestShare, limitsOn, toShares, toSpent, toState } from './budget-state.js';
import type { BudgetRow, BudgetsStore } from './budgets-store.js';

interface BudgetReviewParts {
  store: BudgetsStore;
  bus: Pick<Bus, 'publish'>;
  clock: Pick<Clock, 'now'>;
}

const RANKS: Readonly<Record<BudgetState, number>> = { ok: 0, warned: 1, reached: 2 };

/** The state of a budget that was stored, on `day`. */
export const stateOn = ({ scope, state, state_day }: BudgetRow, day: string): BudgetState =>
  isDaily(scope) && state_day !== day ? 'ok' : state;

/**
 * Compares what was spent with the limits, and stores what changed. Publishes `budget.warned` once per scope and day,
 * `budget.reached`, and `budget.changed` for a budget that has room again.
 */
export class BudgetReview {
  constructor(private readonly parts: BudgetReviewParts) {}

  /** Reviews the budgets of these scopes, or all. */
  review(transaction: Transaction, scopes?: readonly string[]): void {
    const day = toLocalDay(this.parts.clock.now());
    for (const row of this.parts.store.list())
      if (scopes === undefined || scopes.includes(row.scope)) this.reviewOne(transaction, row, day);
  }

  private reviewOne(transaction: Transaction, row: BudgetRow, day: string): void {
    const { store, bus, clock } = this.parts;
    const { scope } = row;
    const before = stateOn(row, day);
    const state = toState(largestShare(toShares(limitsOn(row, day), toSpent(store.spent(scope, day)))));
    if (state === before) return;
    const isNew = RANKS[state] > RANKS[before];
    const isFirstWarning = state === 'warned' && isNew && row.warned_day !== day;
    store.put(transaction, {
      ...row,
      state,
      state_day: day,
      since_ms: state === 'ok' ? null : clock.now(),
      warned_day: isNew ? day : row.warned_day,
      is_left: 0,
    });
    transaction.afterCommit(() => {
      if (state === 'reached') bus.publish('budget.reached', { scope });
      else bus.publish(isFirstWarning ? 'budget.warned' : 'budget.changed', { scope });
    });
  }
}
