import type { Clock } from '../../../lib/time/clock.js';

/** Warns when an address has made no progress for this time. */
const WARN_AFTER_MINUTES = 5;
/** After this time without progress, what cannot be read is passed over. */
const PASS_AFTER_MINUTES = 10;

interface Stall {
  position: string | null;
  sinceMs: number;
  isWarned: boolean;
}

/** Warns once, not with every scan, of an address whose scans end early without progress for five minutes. */
export class ScanStalls {
  private readonly stalls = new Map<string, Stall>();

  constructor(
    private readonly clock: Clock,
    private readonly warn: (message: string) => void,
  ) {}

  /** Notes that a scan ended early at a position, with the reason, which is a sentence. */
  note(network: string, address: string, position: string | null, reason: string): void {
    const key = `${network} ${address}`;
    const known = this.stalls.get(key);
    if (known?.position !== position) {
      this.stalls.set(key, { position, sinceMs: this.clock.elapsed(), isWarned: false });
      return;
    }
    if (known.isWarned || this.clock.elapsed() - known.sinceMs < WARN_AFTER_MINUTES * 60_000) return;
    known.isWarned = true;
    this.warn(`No payment to ${address} on ${network} could be recorded for ${WARN_AFTER_MINUTES} minutes: ${reason}`);
  }

  /** Returns whether the scans of an address have ended at a position for ten minutes. */
  isLong(network: string, address: string, position: string | null): boolean {
    const known = this.stalls.get(`${network} ${address}`);
    return known?.position === position && this.clock.elapsed() - known.sinceMs >= PASS_AFTER_MINUTES * 60_000;
  }

  /** Notes that a scan recorded everything. */
  end(network: string, address: string): void {
    this.stalls.delete(`${network} ${address}`);
  }
}
