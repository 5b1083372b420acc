import type { NatsConnection, Subscription } from '@nats-io/transport-node';
import { COMMAND_CLOCK_MS } from '../../contract/shared/commands.js';
import { NETWORK_ABSENT_MS, NETWORK_PRESENCE_MS } from '../../contract/shared/network.js';
import { NETWORK_CARDS_BYTES_MAX, NetworkShown } from '../../contract/shared/network-asks.js';
import { isSignedBy, type SigningKey } from '../../lib/crypto/ed25519.js';
import { type Clock, every } from '../../lib/time/clock.js';
import { hasForm } from '../../shared-log/has-form.js';
import { toBase64, toBase64Url } from './command-envelope.js';
import { toSignedText } from './signed-text.js';

/** An announcement, and in it a text of what the daemon shows, whose quotes JSON escapes once more. */
const BYTES_MAX = 1_024 + 2 * NETWORK_CARDS_BYTES_MAX;
/** How soon a daemon answers to one that was absent, so that it need not wait for the next announcement. */
const ANSWER_MS = 1_000;
/** How many announcements of keys that are not bound yet are remembered. */
const UNBOUND_MAX = 256;

interface PresenceParts {
  connection: Pick<NatsConnection, 'publish' | 'subscribe' | 'isClosed'>;
  network: string;
  key: SigningKey;
  clock: Clock;
  /** Returns the daemon whose key it is, if it is bound. */
  findDaemon: (key: string) => string | undefined;
  /** What others see of this daemon. */
  show: () => NetworkShown;
}

const getSubject = (network: string, key: string) => `m.${network}.presence.${key}`;
const signedText = (network: string, { key, at, shown }: Omit<Announcement, 'sig'>) =>
  toSignedText('presence', network, `${key}\n${at}\n${shown}`);

interface Announcement {
  key: string;
  at: number;
  /** What the daemon shows, as the JSON text that is signed. */
  shown: string;
  sig: string;
}

function parse(data: Uint8Array): Announcement | undefined {
  if (data.length > BYTES_MAX) return undefined;
  try {
    const { key, at, shown, sig } = JSON.parse(Buffer.from(data).toString()) as Partial<Announcement>;
    if (typeof key !== 'string' || typeof at !== 'number' || typeof shown !== 'string') return undefined;
    return typeof sig === 'string' ? { key, at, shown, sig } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns what a daemon shows; undefined for a text of another form. */
function parseShown(text: string): NetworkShown | undefined {
  try {
    const shown: unknown = JSON.parse(text);
    return hasForm(NetworkShown, shown) ? (shown as NetworkShown) : undefined;
  } catch {
    return undefined;
  }
}

/** When a daemon was heard of, by the wall clock and by the monotonic one, and what it showed. */
interface Seen {
  at: number;
  elapsed: number;
  shown: NetworkShown | undefined;
}

/**
 * Who is connected. Each daemon announces itself every 20 seconds, signed; one that was not heard of for a minute is
 * absent. Nothing of it is stored.
 */
export class Presence {
  /** By the id of a daemon. */
  private readonly seen = new Map<string, Seen>();
  /** By key. A daemon may be heard of before the command that binds its key is applied here. */
  private readonly unbound = new Map<string, Seen>();
  private subscription: Subscription | undefined;
  private cancel: (() => void) | undefined;
  private cancelAnswer: (() => void) | undefined;

  constructor(private readonly parts: PresenceParts) {}

  start(): void {
    const { connection, network, clock } = this.parts;
    this.subscription = connection.subscribe(getSubject(network, '*'), {
      callback: (error, message) => {
        if (!error) this.hear(message.subject, message.data);
      },
    });
    this.announce();
    this.cancel = every(clock, NETWORK_PRESENCE_MS, () => this.announce());
  }

  stop(): void {
    this.cancel?.();
    this.cancelAnswer?.();
    this.subscription?.unsubscribe();
  }

  /** Announces this daemon now. */
  announce(): void {
    const { connection, network, key: signer, clock, show } = this.parts;
    if (connection.isClosed()) return;
    const said = { key: toBase64Url(signer.pubkey), at: clock.now(), shown: JSON.stringify(show()) };
    const sig = signer.sign(signedText(network, said));
    connection.publish(getSubject(network, said.key), JSON.stringify({ ...said, sig }));
  }

  /** When the daemon was last heard of, whether that is less than a minute ago, and what it showed. */
  find(daemon: string): { isPresent: boolean; lastSeenMs: number | undefined; shown: NetworkShown | undefined } {
    this.bind();
    const seen = this.seen.get(daemon);
    const isPresent = seen !== undefined && this.parts.clock.elapsed() - seen.elapsed < NETWORK_ABSENT_MS;
    return { isPresent, lastSeenMs: seen?.at, shown: seen?.shown };
  }

  private hear(subject: string, data: Uint8Array): void {
    const { network, clock, key } = this.parts;
    const said = parse(data);
    if (!said || subject !== getSubject(network, said.key)) return;
    if (Math.abs(clock.now() - said.at) > COMMAND_CLOCK_MS) return;
    if (!isSignedBy(toBase64(said.key), signedText(network, said), said.sig)) return;
    if (said.key !== toBase64Url(key.pubkey) && !this.wasHeard(said.key)) this.answer();
    this.unbound.delete(said.key);
    this.unbound.set(said.key, { at: clock.now(), elapsed: clock.elapsed(), shown: parseShown(said.shown) });
    this.bind();
    const [oldest] = this.unbound.keys();
    if (this.unbound.size > UNBOUND_MAX && oldest !== undefined) this.unbound.delete(oldest);
  }

  private wasHeard(key: string): boolean {
    const daemon = this.parts.findDaemon(key);
    const seen = this.unbound.get(key) ?? (daemon === undefined ? undefined : this.seen.get(daemon));
    return seen !== undefined && this.parts.clock.elapsed() - seen.elapsed < NETWORK_ABSENT_MS;
  }

  /** Announces this daemon once, however many newcomers are heard of meanwhile. */
  private answer(): void {
    this.cancelAnswer ??= this.parts.clock.after(ANSWER_MS, () => {
      this.cancelAnswer = undefined;
      this.announce();
    });
  }

  /** Takes over what was heard of keys that are bound by now. */
  private bind(): void {
    for (const [key, seen] of this.unbound) {
      const daemon = this.parts.findDaemon(key);
      if (daemon === undefined) continue;
      this.seen.set(daemon, seen);
      this.unbound.delete(key);
    }
  }
}
