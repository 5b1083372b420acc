import { LOCAL_NETWORK } from '../../contract/payments.js';
import type { Clock } from '../../lib/clock.js';

/** A network of other people's machines is asked about an address at most this often. */
const REMOTE_EVERY_MS = 1000;

interface Looking {
  startedMs: number;
  now: Promise<void>;
  next?: Promise<void>;
}

/**
 * Looks at addresses on behalf of many who want to know at once: each gets a look that began after it asked, and they share it. On a network that is not
 * this machine's, one that began within the last second does.
 */
export class AddressLooks {
  private readonly looking = new Map<string, Looking>();

  constructor(
    private readonly clock: Clock,
    private readonly scan: (network: string, address: string) => Promise<void>,
  ) {}

  look(network: string, address: string): Promise<void> {
    const key = `${network} ${address}`;
    const current = this.looking.get(key);
    if (!current) return this.start(key, network, address);
    if (network !== LOCAL_NETWORK && this.clock.elapsed() - current.startedMs < REMOTE_EVERY_MS) return current.now;
    current.next ??= current.now.then(
      () => this.start(key, network, address),
      () => this.start(key, network, address),
    );
    return current.next;
  }

  /** Resolves when the looks that are under way have ended, however. */
  async idle(): Promise<void> {
    await Promise.allSettled([...this.looking.values()].flatMap(({ now, next }) => (next ? [now, next] : [now])));
  }

  private start(key: string, network: string, address: string): Promise<void> {
    const looking: Looking = { startedMs: this.clock.elapsed(), now: this.scan(network, address) };
    this.looking.set(key, looking);
    const forget = () => {
      const isRemote = network !== LOCAL_NETWORK;
      if (!isRemote && !looking.next && this.looking.get(key) === looking) this.looking.delete(key);
    };
    looking.now.then(forget, forget);
    return looking.now;
  }
}
