import type { Caller } from '../../contract/asks.js';
import type { Outcome } from '../../contract/conversations.js';
import {
  CALLER_YOU,
  USAGE_RETENTION_DAYS,
  USAGE_ROWS_MAX,
  type UsageKind,
  type UsageQuery,
  type UsageReport,
} from '../../contract/usage.js';
import { SlicedWork } from '../../lib/async/loop-ticks.js';
import { getCallerName } from '../../lib/text/caller-name.js';
import { type Clock, every, isoTime } from '../../lib/time/clock.js';
import type { Transaction, Transactions } from '../../storage/database/transaction.js';
import type { TurnChange } from '../conversations/turn-change.js';
import { HOUR_MS, type RefusedCallCounter } from './refused-calls.js';
import type { RefusedStore } from './refused-store.js';
import { UsagePeriod } from './usage-period.js';
import type { TurnUsage, UsageFilter, UsageStore } from './usage-store.js';
import { UsageSum, UsageSums } from './usage-sum.js';

const PRUNE_EVERY_MS = HOUR_MS;
/** Rows that one step reads: well below a millisecond. */
const PAGE_ROWS = 1_000;

interface UsageParts {
  transactions: Transactions;
  store: UsageStore;
  refusedStore: Pick<RefusedStore, 'sums'>;
  refused: RefusedCallCounter;
  clock: Clock;
  /** Returns who asked what a turn answers; undefined for a message of the operator. */
  findCaller: (turn: string) => Caller | undefined;
  /** Returns the member of a conversation; undefined for one without. */
  findMember: (conv: string) => string | undefined;
}

type UsageListener = (turn: TurnUsage, outcome: Outcome) => void;
type TurnEnded = Extract<TurnChange, { kind: 'ended' }>;

/** Usage over time: of every turn that ended, by whom it was asked, how it ended and what it took. */
export class Usage {
  private cancelPruning: () => void = () => undefined;
  private readonly listeners: UsageListener[] = [];

  constructor(private readonly parts: UsageParts) {}

  async start(): Promise<void> {
    await this.prune();
    this.cancelPruning = every(this.parts.clock, PRUNE_EVERY_MS, () => void this.prune());
  }

  /** Writes the counters that are still in memory. */
  async stop(): Promise<void> {
    this.cancelPruning();
    await this.parts.refused.flush();
  }

  /** Records the usage of a turn in the transaction that ends it. */
  follow(change: TurnChange, transaction: Transaction): void {
    if (change.kind !== 'ended') return;
    const turn = this.toUsage(change);
    this.parts.store.put(transaction, turn);
    transaction.afterCommit(() => {
      for (const listener of this.listeners) listener(turn, change.ending.outcome);
    });
  }

  /** Calls `listener` with the usage of every turn that ended, after the commit. */
  onRecorded(listener: UsageListener): void {
    this.listeners.push(listener);
  }

  /** Sums up a period. Throws `bad_request` for an invalid one. */
  async report(query: UsageQuery): Promise<UsageReport> {
    const period = new UsagePeriod(query, this.parts.clock.now());
    const { fromMs, toMs, bucket } = period;
    const { member, caller } = query;
    const total = new UsageSum();
    const buckets = new Map(period.listStarts().map((start) => [start, new UsageSum()]));
    const [members, callers, clients] = [new UsageSums(), new UsageSums(), new UsageSums()];
    const listSums = (ms: number, names: { member: string; caller: string }) => {
      const sums = [total, members.get(names.member), callers.get(names.caller)];
      const inBucket = buckets.get(period.getStart(ms));
      return inBucket ? [...sums, inBucket] : sums;
    };
    await this.eachTurn({ fromMs, toMs, member, caller }, (turn) => {
      for (const sum of [...listSums(turn.at_ms, turn), clients.get(turn.client)]) sum.add(turn);
    });
    await this.parts.refused.flush();
    const [fromHour, toHour] = [Math.floor(fromMs / HOUR_MS), Math.ceil(toMs / HOUR_MS)];
    for (const row of this.parts.refusedStore.sums(fromHour, toHour, member, caller))
      for (const sum of listSums(Math.max(fromMs, row.hour * HOUR_MS), row)) sum.refused += row.count;
    return {
      from: isoTime(fromMs),
      to: isoTime(toMs),
      bucket,
      total: total.counts,
      buckets: [...buckets].map(([start, sum]) => ({ at: isoTime(start), ...sum.counts })),
      members: members.groups,
      callers: callers.groups,
      clients: clients.groups,
    };
  }

  /** Calls `add` with every turn of the period, in slices of the event loop. */
  private async eachTurn(filter: UsageFilter, add: (turn: TurnUsage) => void): Promise<void> {
    const work = new SlicedWork();
    let last: TurnUsage | undefined;
    for (;;) {
      await work.step();
      const page = this.parts.store.page(filter, last, PAGE_ROWS);
      page.forEach(add);
      last = page.at(-1);
      if (page.length < PAGE_ROWS) return;
    }
  }

  private toUsage({ turn, ending: { outcome, usage, finished_ms }, answer, runnable }: TurnEnded): TurnUsage {
    const caller = this.parts.findCaller(turn.turn);
    return {
      at_ms: turn.created_ms,
      turn: turn.seq,
      member: this.parts.findMember(turn.conv) ?? '',
      caller: caller === undefined ? CALLER_YOU : getCallerName(caller),
      kind: answer?.search?.confidence ?? toKind(outcome),
      latency_ms: outcome === 'answered' ? Math.max(0, finished_ms - turn.created_ms) : null,
      input_tokens: usage?.input_tokens ?? null,
      output_tokens: usage?.output_tokens ?? null,
      cost_usd: usage?.cost_usd ?? null,
      client: runnable?.client_resolved ?? turn.client,
    };
  }

  private async prune(): Promise<void> {
    const { transactions, store, clock } = this.parts;
    const beforeMs = clock.now() - USAGE_RETENTION_DAYS * 24 * HOUR_MS;
    // A write failure is reported elsewhere.
    await transactions.run((transaction) => store.prune(transaction, beforeMs, USAGE_ROWS_MAX)).catch(() => undefined);
  }
}

function toKind(outcome: Outcome): UsageKind {
  if (outcome === 'answered') return 'answered';
  return outcome === 'cancelled' ? 'stopped' : 'failed';
}
