import type { Budget, BudgetEdit, BudgetLimits, BudgetList, BudgetRaise } from '../../contract/work/budgets.js';
import { BUDGET_KINDS } from '../../contract/work/budgets.js';
import type { Bus } from '../../events/bus.js';
import { MeshError } from '../../lib/errors.js';
import { type Clock, every, isoTime } from '../../lib/time/clock.js';
import { nextLocalMidnight, toLocalDay } from '../../lib/time/local-day.js';
import type { Transaction, Transactions } from '../../storage/database/transaction.js';
import type { TurnRuns } from '../conversations/turn-runs.js';
import type { TurnRow, TurnsStore } from '../conversations/turns-store.js';
import type { BudgetMeter } from './budget-meter.js';
import { type BudgetReview, stateOn } from './budget-review.js';
import { DAY_SCOPE, isDaily } from './budget-scope.js';
import { formatSpent, largestShare, limitsOn, NO_LIMITS, raiseBy, toShares, toSpent } from './budget-state.js';
import type { BudgetRow, BudgetsStore } from './budgets-store.js';

const LOOK_EVERY_MS = 60_000;

interface BudgetsParts {
  transactions: Pick<Transactions, 'run'>;
  store: BudgetsStore;
  meter: BudgetMeter;
  review: BudgetReview;
  turns: Pick<TurnsStore, 'listOpen'>;
  runs: Pick<TurnRuns, 'pump'>;
  bus: Pick<Bus, 'publish'>;
  clock: Clock;
  /** Returns the name of a scope for the operator. Undefined when its conversation or member does not exist. */
  findName: (scope: string) => string | undefined;
}

/**
 * The limits on what turns may spend, per conversation, per member and day, and per day in all, as the operator sets
 * them. A day is one of this machine's time zone. Publishes `budget.*`.
 */
export class Budgets {
  private day = '';
  private cancelLooking: () => void = () => undefined;

  constructor(private readonly parts: BudgetsParts) {}

  /** Must be called before any turn starts. */
  async start(): Promise<void> {
    await this.beginDay();
    this.cancelLooking = every(this.parts.clock, LOOK_EVERY_MS, () => {
      if (toLocalDay(this.parts.clock.now()) !== this.day) void this.beginDay().catch(() => undefined);
    });
  }

  stop(): void {
    this.cancelLooking();
    this.parts.meter.stop();
  }

  list(): BudgetList {
    const { store, clock, findName } = this.parts;
    // The limits of a member whose file is gone apply again when it comes back.
    const rows = store.list().filter(({ scope }) => findName(scope) !== undefined);
    const waiting = this.countWaiting();
    const scopes = [...new Set([...rows.map(({ scope }) => scope), DAY_SCOPE])];
    const budgets = scopes.map((scope) =>
      this.toView(
        scope,
        rows.find((row) => row.scope === scope),
        waiting,
      ),
    );
    budgets.sort((a, b) => (b.share ?? -1) - (a.share ?? -1) || (a.scope < b.scope ? -1 : 1));
    return {
      budgets,
      day: toLocalDay(clock.now()),
      ends_at: isoTime(nextLocalMidnight(clock.now())),
      time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    };
  }

  /** Returns a budget, also one without a limit. Throws `not_found` for an unknown scope. */
  get(scope: string): Budget {
    this.requireScope(scope);
    return this.toView(scope, this.parts.store.find(scope), this.countWaiting());
  }

  /** Replaces the limits, also those for today. Running turns over them end. Throws `bad_request` and `not_found`. */
  async set(scope: string, edit: BudgetEdit): Promise<Budget> {
    this.requireScope(scope);
    const limits = { ...NO_LIMITS, ...edit };
    if (BUDGET_KINDS.every((kind) => limits[kind] === null))
      throw new MeshError('bad_request', 'Give at least one limit, or remove the budget.');
    await this.change(scope, (row) => ({ ...row, limits, today_limits: null, today: null, is_left: 0 }));
    return this.get(scope);
  }

  /** Removes the limits. What was spent stays counted. Throws `not_found` when there is no budget. */
  async clear(scope: string): Promise<void> {
    const { transactions, store, bus, runs } = this.parts;
    const isRemoved = await transactions.run((transaction) => store.remove(transaction, scope));
    if (!isRemoved) throw noBudget(scope);
    bus.publish('budget.changed', { scope });
    runs.pump();
  }

  /**
   * Raises limits, and starts the turns that waited for it. Throws `bad_request` for limits that are spent already, and
   * `not_found` without a budget.
   */
  async raise(scope: string, { percent, limits, today = false }: BudgetRaise): Promise<Budget> {
    if ((percent === undefined) === (limits === undefined))
      throw new MeshError('bad_request', 'Give either "percent" or "limits".', { details: { path: 'percent' } });
    const now = toLocalDay(this.parts.clock.now());
    await this.change(scope, (row, isKnown) => {
      if (!isKnown) throw noBudget(scope);
      const spent = toSpent(this.parts.store.spent(scope, now));
      const before = limitsOn(row, now);
      const raised = { ...before, ...(limits ?? raiseBy(percent as number, before, spent)) };
      requireRoom(raised, spent, limits ?? {});
      const day = { today_limits: raised, today: now };
      return { ...row, is_left: 0, ...(today ? day : { limits: raised, today_limits: null, today: null }) };
    });
    return this.get(scope);
  }

  /** Leaves a budget as it is: it is no question for the operator until its state changes. Throws `not_found`. */
  async leave(scope: string): Promise<Budget> {
    await this.change(scope, (row, isKnown) => {
      if (!isKnown) throw noBudget(scope);
      return { ...row, is_left: 1 };
    });
    return this.get(scope);
  }

  private async change(scope: string, change: (row: BudgetRow, isKnown: boolean) => BudgetRow): Promise<void> {
    const { transactions, store, review, meter, runs, bus, clock } = this.parts;
    await transactions.run((transaction) => {
      const row = store.find(scope);
      store.put(transaction, change(row ?? newRow(scope, toLocalDay(clock.now())), row !== undefined));
      review.review(transaction, [scope]);
    });
    bus.publish('budget.changed', { scope });
    meter.settle();
    runs.pump();
  }

  /** Daily budgets begin anew, and what was raised for a day only is over. */
  private async beginDay(): Promise<void> {
    const { transactions, store, review, meter, runs, bus, clock } = this.parts;
    const day = toLocalDay(clock.now());
    const isFirst = this.day === '';
    await transactions.run((transaction: Transaction) => {
      review.review(transaction);
      // The day before is kept in case that the clock is set back.
      store.prune(transaction, [this.day, day]);
    });
    this.day = day;
    if (isFirst) return;
    bus.publish('budget.changed', { scope: DAY_SCOPE });
    meter.settle();
    runs.pump();
  }

  private requireScope(scope: string): void {
    if (this.parts.findName(scope) === undefined)
      throw new MeshError(
        'not_found',
        `There is no ${JSON.stringify(scope.slice(0, 80))} to budget: give "day", "member:<id>" or "conversation:<id>".`,
      );
  }

  private toView(scope: string, row: BudgetRow | undefined, waiting: ReadonlyMap<string, number>): Budget {
    const { store, clock, findName } = this.parts;
    const day = toLocalDay(clock.now());
    const counted = store.spent(scope, day);
    const spent = toSpent(counted);
    const limits: BudgetLimits = row ? limitsOn(row, day) : NO_LIMITS;
    const shares = toShares(limits, spent);
    return {
      scope,
      name: findName(scope) ?? '',
      limits,
      lasting: row?.limits ?? NO_LIMITS,
      spent,
      shares,
      share: largestShare(shares),
      state: row ? stateOn(row, day) : 'ok',
      not_reported: {
        tokens: counted.unreported.tokens ?? [],
        cost_usd: counted.unreported.cost_usd ?? [],
      },
      waiting: waiting.get(scope) ?? 0,
      is_left: row?.is_left === 1,
      since: row?.since_ms == null || (isDaily(scope) && row.state_day !== day) ? null : isoTime(row.since_ms),
    };
  }

  /** Counts the queued turns that each reached budget keeps from starting. */
  private countWaiting(): Map<string, number> {
    const waiting = new Map<string, number>();
    for (const turn of this.parts.turns.listOpen().filter((one: TurnRow) => one.state === 'queued'))
      for (const scope of this.parts.meter.listReached(turn)) waiting.set(scope, (waiting.get(scope) ?? 0) + 1);
    return waiting;
  }
}

const newRow = (scope: string, day: string): BudgetRow => ({
  ...{ scope, limits: NO_LIMITS, today_limits: null, today: null },
  ...{ state: 'ok', state_day: day, since_ms: null, warned_day: null, is_left: 0 },
});

const noBudget = (scope: string) =>
  new MeshError('not_found', `There is no budget for ${JSON.stringify(scope.slice(0, 80))}.`);

/** Throws `bad_request` when a limit that was given leaves no room. */
function requireRoom(limits: BudgetLimits, spent: Budget['spent'], given: BudgetEdit): void {
  for (const kind of BUDGET_KINDS) {
    const limit = limits[kind];
    if (given[kind] === undefined || limit === null || limit > (spent[kind] ?? 0)) continue;
    throw new MeshError('bad_request', `Give a higher limit: ${formatSpent(kind, limits, spent)} are spent already.`, {
      details: { path: `limits.${kind}` },
    });
  }
}
