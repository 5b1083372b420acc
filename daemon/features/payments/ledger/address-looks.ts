import { LOCAL_NETWORK } from '../../../contract/payments.js';
import type { Clock } from '../../../lib/time/clock.js';

/** Minimum interval between two scans of the same address on a remote network. */
const REMOTE_EVERY_MS = 1000;

interface AddressQuery {
  startedMs: number;
  now: Promise<void>;
  /** The scan that follows the current one; callers that arrive during the current scan share it. */
  next?: Promise<void>;
}

/**
 * Coalesces scans of addresses. Each caller gets a scan that began after its call, and concurrent callers share it. On
 * a remote network a scan of an address starts at least one second after the previous scan of it started.
 */
export class AddressLooks {
  /** The last scan by network and address. An entry for the local network exists only while its scan runs. */
  private readonly looking = new Map<string, AddressQuery>();

  constructor(
    private readonly clock: Clock,
    private readonly scan: (network: string, address: string) => Promise<void>,
  ) {}

  look(network: string, address: string): Promise<void> {
    const key = `${network} ${address}`;
    const current = this.looking.get(key);
    if (!current) return this.start(key, network, address);
    current.next ??= this.startAfter(current, key, network, address);
    return current.next;
  }

  /** Resolves when the scans that are running have ended, whether they succeeded or failed. */
  async idle(): Promise<void> {
    await Promise.allSettled([...this.looking.values()].map(({ now }) => now));
  }

  private async startAfter(
    { startedMs, now }: AddressQuery,
    key: string,
    network: string,
    address: string,
  ): Promise<void> {
    await now.catch(() => undefined);
    const waitMs = network === LOCAL_NETWORK ? 0 : startedMs + REMOTE_EVERY_MS - this.clock.elapsed();
    if (waitMs > 0) await new Promise<void>((resolve) => void this.clock.after(waitMs, resolve));
    return this.start(key, network, address);
  }

  private start(key: string, network: string, address: string): Promise<void> {
    const looking: AddressQuery = { startedMs: this.clock.elapsed(), now: this.scan(network, address) };
    this.looking.set(key, looking);
    const forget = () => {
      if (network === LOCAL_NETWORK && !looking.next) this.looking.delete(key);
    };
    looking.now.then(forget, forget);
    return looking.now;
  }
}
