import type { Usage } from '../../contract/conversations.js';
import type { BudgetKind } from '../../contract/work/budgets.js';
import type { Clock } from '../../lib/time/clock.js';
import { toLocalDay } from '../../lib/time/local-day.js';
import type { Transaction, Transactions } from '../../storage/database/transaction.js';
import type { TurnCancelledError } from '../conversations/turn-cancelled.js';
import type { RunningTurn, TurnChange, TurnGate } from '../conversations/turn-change.js';
import type { TurnRuns } from '../conversations/turn-runs.js';
import type { TurnRow, TurnsStore } from '../conversations/turns-store.js';
import type { BudgetReview } from './budget-review.js';
import { findReached, formatSpent, limitsOn, toSpent } from './budget-state.js';
import type { BudgetRow, BudgetsStore, SpentRow } from './budgets-store.js';
import { scopesOfTurn, type TurnScopesParts } from './turn-scopes.js';

/** How much running time a killed daemon forgets at most. */
const RECORD_EVERY_MS = 10_000;
/** How far a limit of minutes is overrun at most, by each turn. */
const PRECISION_MS = 250;
const MINUTE_MS = 60_000;

interface BudgetMeterParts extends TurnScopesParts {
  transactions: Pick<Transactions, 'run'>;
  store: BudgetsStore;
  review: BudgetReview;
  turns: Pick<TurnsStore, 'find'>;
  runs: Pick<TurnRuns, 'listRunning' | 'interrupt'>;
  clock: Clock;
  /** Called when the turns that wait for a budget have changed. */
  onChanged: (scope: string) => void;
  /** Creates the reason with which a turn ends early. */
  toReason: (message: string) => TurnCancelledError;
}

interface ReachedLimit {
  row: BudgetRow;
  kind: BudgetKind;
  message: string;
}

const OUTSIDE_REASON = 'The operator’s budget for this is used up: ask again later.';
const countTokens = ({ input_tokens, output_tokens }: Usage) =>
  input_tokens === undefined && output_tokens === undefined ? undefined : (input_tokens ?? 0) + (output_tokens ?? 0);

/**
 * Counts what turns spend for every scope that they belong to, and ends those whose budget is used up. What is counted
 * is stored at once, so that a restart forgets at most the last seconds of running time.
 *
 * A limit can be overrun by what each running turn takes until its client's next report.
 */
export class BudgetMeter implements TurnGate {
  /** Turns that are about to start, with their scopes: the limit of turns counts them already. */
  private readonly beginning = new Map<string, string[]>();
  private readonly clients = new Map<string, string>();
  /** The scope that each queued turn waits for. */
  private readonly waiting = new Map<string, string>();
  private cancelRecording: () => void = () => undefined;
  private isRecording = false;
  private isStale = false;
  private isStopped = false;

  constructor(private readonly parts: BudgetMeterParts) {}

  stop(): void {
    this.isStopped = true;
    this.cancelRecording();
  }

  check(turn: TurnRow): 'wait' | TurnCancelledError | undefined {
    const reached = this.findReached(turn, true);
    if (!reached) return undefined;
    // Nobody else can raise the budget, so a caller gets an error instead of waiting for it.
    if (turn.profile === 'outside') return this.parts.toReason(OUTSIDE_REASON);
    if (this.parts.asked.findAsking(turn.turn)?.waits) return this.parts.toReason(reached.message);
    const { scope } = reached.row;
    if (this.waiting.get(turn.turn) !== scope) this.parts.onChanged(scope);
    this.waiting.set(turn.turn, scope);
    return 'wait';
  }

  starting(turn: TurnRow): void {
    this.waiting.delete(turn.turn);
    this.beginning.set(turn.turn, scopesOfTurn(this.parts, turn));
  }

  reported(): void {
    void this.record();
  }

  /** Counts a change of a turn in the transaction that stores it. */
  follow(change: TurnChange, transaction: Transaction): void {
    const { turn } = change;
    if (change.kind === 'started') {
      this.clients.set(turn.turn, change.client);
      this.countStart(transaction, turn);
    }
    if (change.kind === 'ended') this.countEnd(transaction, change);
    transaction.afterCommit(() => this.settle());
  }

  /** Ends the running turns whose budget is used up, and plans when to look again. */
  settle(): void {
    if (this.isStopped) return;
    for (const { turn } of this.parts.runs.listRunning()) {
      const reached = this.findReached(turn, false);
      if (reached)
        this.parts.runs.interrupt(
          turn.turn,
          this.parts.toReason(turn.profile === 'outside' ? OUTSIDE_REASON : reached.message),
        );
    }
    this.plan();
  }

  /** Returns the scopes whose budget keeps a queued turn from starting. */
  listReached(turn: TurnRow): string[] {
    return this.parts.store
      .list()
      .filter((row) => scopesOfTurn(this.parts, turn).includes(row.scope))
      .filter((row) => this.findReachedOf(row, turn.turn, true) !== undefined)
      .map(({ scope }) => scope);
  }

  private findReached(turn: TurnRow, isQueued: boolean): ReachedLimit | undefined {
    const rows = this.parts.store.list();
    if (rows.length === 0) return undefined;
    const scopes = scopesOfTurn(this.parts, turn);
    for (const row of rows) {
      const reached = scopes.includes(row.scope) ? this.findReachedOf(row, turn.turn, isQueued) : undefined;
      if (reached) return reached;
    }
    return undefined;
  }

  /** The limit of turns keeps further ones from starting, and ends none. */
  private findReachedOf(row: BudgetRow, turn: string, isQueued: boolean): ReachedLimit | undefined {
    const day = toLocalDay(this.parts.clock.now());
    const limits = limitsOn(row, day);
    const spent = toSpent(this.parts.store.spent(row.scope, day));
    const others = [...this.beginning].filter(([id, scopes]) => id !== turn && scopes.includes(row.scope)).length;
    const kind = findReached(isQueued ? limits : { ...limits, turns: null }, spent, others);
    return kind && { row, kind, message: toMessage(row.scope, formatSpent(kind, limits, spent)) };
  }

  private countStart(transaction: Transaction, turn: TurnRow): void {
    const { store, review } = this.parts;
    this.beginning.delete(turn.turn);
    store.putTurn(transaction, turn.turn, { tokens: 0, cost_usd: 0, ms: 0 });
    const scopes = scopesOfTurn(this.parts, turn);
    this.change(transaction, scopes, (spent) => ({ ...spent, turns: spent.turns + 1 }));
    review.review(transaction, scopes);
  }

  private countEnd(transaction: Transaction, { turn, ending }: Extract<TurnChange, { kind: 'ended' }>): void {
    this.beginning.delete(turn.turn);
    const awaited = this.waiting.get(turn.turn);
    this.waiting.delete(turn.turn);
    if (awaited !== undefined) transaction.afterCommit(() => this.parts.onChanged(awaited));
    const client = this.clients.get(turn.turn);
    this.clients.delete(turn.turn);
    const { store, runs } = this.parts;
    const ranMs = runs.listRunning().find((running) => running.turn.turn === turn.turn)?.ranMs ?? 0;
    this.count(transaction, { turn, usage: ending.usage, ranMs });
    store.removeTurn(transaction, turn.turn);
    if (ending.outcome !== 'answered' || !client) return;
    const { usage } = ending;
    const silent = {
      tokens: usage === null || countTokens(usage) === undefined,
      cost_usd: usage?.cost_usd === undefined,
    };
    if (silent.tokens || silent.cost_usd)
      this.change(transaction, scopesOfTurn(this.parts, turn), (spent) => withSilent(spent, client, silent));
  }

  /** Adds what a running turn has spent since it was counted last. */
  private count(transaction: Transaction, { turn, usage, ranMs }: Omit<RunningTurn, 'isPaused'>): void {
    const { store, review } = this.parts;
    const counted = store.findTurn(turn.turn);
    if (!counted) return;
    const tokens = usage === null ? undefined : countTokens(usage);
    const now = {
      tokens: Math.max(counted.tokens, tokens ?? 0),
      cost_usd: Math.max(counted.cost_usd, usage?.cost_usd ?? 0),
      ms: Math.max(counted.ms, Math.round(ranMs)),
    };
    const scopes = scopesOfTurn(this.parts, turn);
    this.change(transaction, scopes, (spent) => ({
      ...spent,
      tokens: tokens === undefined ? spent.tokens : (spent.tokens ?? 0) + now.tokens - counted.tokens,
      cost_usd:
        usage?.cost_usd === undefined ? spent.cost_usd : (spent.cost_usd ?? 0) + now.cost_usd - counted.cost_usd,
      ms: spent.ms + now.ms - counted.ms,
    }));
    store.putTurn(transaction, turn.turn, now);
    review.review(transaction, scopes);
  }

  private change(transaction: Transaction, scopes: readonly string[], change: (spent: SpentRow) => SpentRow): void {
    const { store, clock } = this.parts;
    const day = toLocalDay(clock.now());
    for (const scope of scopes) store.putSpent(transaction, scope, day, change(store.spent(scope, day)));
  }

  /** Counts every running turn. Reports that arrive while this is written are counted together afterwards. */
  private async record(): Promise<void> {
    this.isStale = true;
    if (this.isRecording) return;
    this.isRecording = true;
    try {
      while (this.isStale && !this.isStopped) {
        this.isStale = false;
        await this.parts.transactions.run((transaction) => {
          for (const running of this.parts.runs.listRunning())
            if (this.parts.turns.find(running.turn.turn)?.state === 'running') this.count(transaction, running);
        });
      }
    } catch {
      // The store refuses writes, and everything that ends says so. What was not counted is counted with the ending.
    } finally {
      this.isRecording = false;
    }
    this.settle();
  }

  private plan(): void {
    this.cancelRecording();
    const running = this.parts.runs.listRunning().filter(({ isPaused }) => !isPaused);
    if (running.length === 0) return;
    const waitMs = Math.min(RECORD_EVERY_MS, this.leftMs(running));
    this.cancelRecording = this.parts.clock.after(Math.max(PRECISION_MS, waitMs), () => void this.record());
  }

  /** How long until the first limit of minutes is reached when these turns go on. */
  private leftMs(running: readonly RunningTurn[]): number {
    const { store, clock } = this.parts;
    const day = toLocalDay(clock.now());
    const scopes = running.map(({ turn }) => scopesOfTurn(this.parts, turn));
    const left = store.list().flatMap((row) => {
      const { minutes } = limitsOn(row, day);
      const ofScope = running.filter((_, at) => scopes[at]?.includes(row.scope));
      if (minutes === null || ofScope.length === 0) return [];
      const uncounted = ofScope.map(({ turn, ranMs }) => ranMs - (store.findTurn(turn.turn)?.ms ?? 0));
      const spentMs = uncounted.reduce((sum, ms) => sum + ms, store.spent(row.scope, day).ms);
      return [(minutes * MINUTE_MS - spentMs) / ofScope.length];
    });
    return Math.min(Number.POSITIVE_INFINITY, ...left);
  }
}

function withSilent(spent: SpentRow, client: string, silent: { tokens: boolean; cost_usd: boolean }): SpentRow {
  const add = (names: readonly string[] = [], is: boolean) => (is ? [...new Set([...names, client])] : [...names]);
  const { tokens, cost_usd } = spent.unreported;
  return {
    ...spent,
    unreported: { tokens: add(tokens, silent.tokens), cost_usd: add(cost_usd, silent.cost_usd) },
  };
}

function toMessage(scope: string, figures: string): string {
  const what =
    scope === 'day' ? 'all turns of a day' : scope.startsWith('member:') ? 'this member' : 'the conversation';
  return `The budget of ${what} is used up: ${figures}. Raise it to go on.`;
}
