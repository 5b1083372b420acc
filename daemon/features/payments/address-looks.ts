import { LOCAL_NETWORK } from '../../contract/payments.js';
import type { Clock } from '../../lib/clock.js';

/** A network of other people's machines is asked about an address at most this often. */
const REMOTE_EVERY_MS = 1000;

interface Looking {
  startedMs: number;
  now: Promise<void>;
  /** The one that whoever asks now will get. */
  next?: Promise<void>;
}

/**
 * Looks at addresses on behalf of many who want to know: each gets a look that began after it asked, and they share it. On a network that is not this
 * machine's they wait for it until a second after the last one.
 */
export class AddressLooks {
  /** The last look at each address; of the local network, only while it is under way. */
  private readonly looking = new Map<string, Looking>();

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

  /** Resolves when the looks that are under way have ended, however. */
  async idle(): Promise<void> {
    await Promise.allSettled([...this.looking.values()].map(({ now }) => now));
  }

  private async startAfter({ startedMs, now }: Looking, key: string, network: string, address: string): Promise<void> {
    await now.catch(() => undefined);
    const waitMs = network === LOCAL_NETWORK ? 0 : startedMs + REMOTE_EVERY_MS - this.clock.elapsed();
    if (waitMs > 0) await new Promise<void>((resolve) => void this.clock.after(waitMs, resolve));
    return this.start(key, network, address);
  }

  private start(key: string, network: string, address: string): Promise<void> {
    const looking: Looking = { startedMs: this.clock.elapsed(), now: this.scan(network, address) };
    this.looking.set(key, looking);
    const forget = () => {
      if (network === LOCAL_NETWORK && !looking.next && this.looking.get(key) === looking) this.looking.delete(key);
    };
    looking.now.then(forget, forget);
    return looking.now;
  }
}
