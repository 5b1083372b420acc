import { PAID_RESULT_RETENTION_DAYS } from '../../contract/payments.js';
import { getErrorMessage, isMeshError } from '../../lib/errors.js';
import type { Clock } from '../../lib/time/clock.js';
import type { Chains } from '../chains/chain.js';
import { UNUSED_RETENTION_MS } from './deposits.js';
import type { FreeTier } from './free-tier.js';
import type { Incoming } from './ledger/incoming.js';
import type { PaymentJournal } from './ledger/payment-journal.js';
import type { SeenStore } from './ledger/seen-store.js';
import { type PaymentsStore, UNPAID_RETENTION_MS } from './payments-store.js';

const DAY_MS = 86_400_000;
/** The interval between two scans for incoming payments, and the maximum number of addresses per scan. */
const LOOK_EVERY_MS = 30_000;
const LOOKED_AT_MAX = 20;
/** An address is scanned for this time after it was last needed. */
const EXPECTED_FOR_MS = 2 * DAY_MS;
const PRUNE_EVERY_MS = 300_000;
/** Free calls stay in the ledger for this time; priced calls stay for ever. */
const RETENTION_MS = PAID_RESULT_RETENTION_DAYS * DAY_MS;

interface PaymentMaintenanceParts {
  store: PaymentsStore;
  seen: SeenStore;
  journal: PaymentJournal;
  freeTier: FreeTier;
  incoming: Incoming;
  chains: Chains;
  clock: Clock;
  warn: (message: string) => void;
}

/**
 * Background work of the payment processor: scans for incoming payments, and removes data whose retention has ended.
 */
export class PaymentMaintenance {
  private prunedMs = Number.NEGATIVE_INFINITY;
  private callOff: () => void = () => undefined;
  private isStopped = false;
  private looking: Promise<void> = Promise.resolve();

  constructor(private readonly parts: PaymentMaintenanceParts) {}

  start(): void {
    if (this.isStopped) return;
    this.callOff = this.parts.clock.after(LOOK_EVERY_MS, () => {
      this.looking = this.look()
        .catch((error: unknown) => this.parts.warn(`Incoming payments could not be checked: ${getErrorMessage(error)}`))
        .finally(() => this.start());
    });
  }

  /** Stops the timer. Resolves when no work is running. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.callOff();
    await this.looking;
    await this.parts.incoming.idle();
  }

  /** See `PaymentProcessor.noteChanged`. */
  noteChanged(network: string, addresses: readonly string[]): void {
    const { incoming, seen, warn } = this.parts;
    for (const address of addresses) {
      if (this.isStopped || !seen.findAddress(network, address)) continue;
      incoming
        .look(network, address)
        .catch((error: unknown) => warn(`Incoming payments could not be read: ${getErrorMessage(error)}`));
    }
  }

  private async look(): Promise<void> {
    const { chains, clock, incoming, seen } = this.parts;
    const nowMs = clock.now();
    for (const { network, address } of seen.listAddresses(nowMs - EXPECTED_FOR_MS, LOOKED_AT_MAX)) {
      if (this.isStopped) return;
      // A network that is not configured is skipped, so that it does not delay the others.
      if (!chains.list().some((known) => known === network)) continue;
      try {
        await incoming.look(network, address);
      } catch (error) {
        if (!isMeshError(error, 'network_unavailable')) throw error;
      }
    }
    if (!this.isStopped && nowMs - this.prunedMs >= PRUNE_EVERY_MS) await this.prune(nowMs);
  }

  private async prune(nowMs: number): Promise<void> {
    const { store, freeTier, journal } = this.parts;
    this.prunedMs = nowMs;
    await store.write(() => {
      freeTier.forget(nowMs - DAY_MS);
      journal.forgetUnused(nowMs - UNUSED_RETENTION_MS);
    });
    // Removes data in batches, so that other writes do not wait for all of it.
    let mayBeMore = true;
    while (mayBeMore && !this.isStopped)
      mayBeMore = await store.write(() => store.prune(nowMs, nowMs - RETENTION_MS, nowMs - UNPAID_RETENTION_MS));
  }
}
