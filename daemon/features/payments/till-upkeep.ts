import { PAID_RESULT_KEPT_DAYS } from '../../contract/payments.js';
import type { Clock } from '../../lib/clock.js';
import { isMeshError, messageOf } from '../../lib/errors.js';
import type { Chains } from '../chains/chain.js';
import { UNUSED_KEPT_MS } from './deposits.js';
import type { FreeTier } from './free-tier.js';
import type { Incoming } from './incoming.js';
import { type PaymentsStore, UNPAID_KEPT_MS } from './payments-store.js';
import type { SeenStore } from './seen-store.js';
import type { TillJournal } from './till-journal.js';

const DAY_MS = 86_400_000;
/** How often it is looked for what has come in, and at how many addresses at most. */
const LOOK_EVERY_MS = 30_000;
const LOOKED_AT_MAX = 20;
/** Nothing is expected any more at an address where nothing was asked for since. */
const EXPECTED_FOR_MS = 2 * DAY_MS;
const PRUNE_EVERY_MS = 300_000;
/** Free calls stay in the ledger for so long; what cost something stays. */
const KEPT_MS = PAID_RESULT_KEPT_DAYS * DAY_MS;

export interface TillUpkeepParts {
  store: PaymentsStore;
  seen: SeenStore;
  journal: TillJournal;
  freeTier: FreeTier;
  incoming: Incoming;
  chains: Chains;
  clock: Clock;
  warn: (message: string) => void;
}

/** What the till does by itself: looks for what has come in, and forgets what is kept for a time only. */
export class TillUpkeep {
  private prunedMs = Number.NEGATIVE_INFINITY;
  private callOff: () => void = () => undefined;
  private isStopped = false;
  private looking: Promise<void> = Promise.resolve();

  constructor(private readonly parts: TillUpkeepParts) {}

  start(): void {
    if (this.isStopped) return;
    this.callOff = this.parts.clock.after(LOOK_EVERY_MS, () => {
      this.looking = this.look()
        .catch((error: unknown) => this.parts.warn(`Incoming payments could not be checked: ${messageOf(error)}`))
        .finally(() => this.start());
    });
  }

  /** Resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.callOff();
    await this.looking;
    await this.parts.incoming.idle();
  }

  /** As `Till.noteChanged`. */
  noteChanged(network: string, addresses: readonly string[]): void {
    const { incoming, seen, warn } = this.parts;
    for (const address of addresses) {
      if (this.isStopped || !seen.findAddress(network, address)) continue;
      incoming
        .look(network, address)
        .catch((error: unknown) => warn(`Incoming payments could not be read: ${messageOf(error)}`));
    }
  }

  private async look(): Promise<void> {
    const { chains, clock, incoming, seen } = this.parts;
    const nowMs = clock.now();
    for (const { network, address } of seen.listAddresses(nowMs - EXPECTED_FOR_MS, LOOKED_AT_MAX)) {
      if (this.isStopped) return;
      // One that is not configured any more holds the others up for nothing.
      if (!chains.list().some((known) => known === network)) continue;
      try {
        await incoming.look(network, address);
      } catch (error) {
        if (!isMeshError(error, 'overloaded')) throw error;
      }
    }
    if (!this.isStopped && nowMs - this.prunedMs >= PRUNE_EVERY_MS) await this.prune(nowMs);
  }

  private async prune(nowMs: number): Promise<void> {
    const { store, freeTier, journal } = this.parts;
    this.prunedMs = nowMs;
    await store.write(() => {
      freeTier.forget(nowMs - DAY_MS);
      journal.forgetUnused(nowMs - UNUSED_KEPT_MS);
    });
    // Portion by portion, so that nobody waits for the whole of it.
    let mayBeMore = true;
    while (mayBeMore && !this.isStopped)
      mayBeMore = await store.write(() => store.prune(nowMs, nowMs - KEPT_MS, nowMs - UNPAID_KEPT_MS));
  }
}
