import { lookup } from 'node:dns/promises';
import type { Agent, Dispatcher } from 'undici';
import type { Clock } from '../lib/clock.js';
import { jsonDepth } from './json-body.js';
import { checkAddresses, isAddress, type OutboundReason, OutboundRefusal, type OutboundTarget, outboundTarget } from './outbound-policy.js';

export const OUTBOUND = {
  bytes: 64 * 1024,
  totalMs: 5000,
  depth: 16,
  cacheMs: 60_000,
  negativeCacheMs: 10_000,
  perHostMs: 1000,
  atOnce: 8,
  cached: 1000,
} as const;

/** What a fetch came to. `fetched_ms` is when it was made. */
export type Outbound = { fetched_ms: number } & ({ ok: true; value: unknown } | { ok: false; reason: OutboundReason; message: string });

/** Every address of a host name. */
export type Resolve = (host: string) => Promise<string[]>;

export interface OutboundParts {
  clock: Clock;
  /** `host:port` of the loopback endpoints that may be fetched: this daemon's own, and those that the machine's configuration lists. */
  loopback: () => ReadonlySet<string>;
  resolve?: Resolve;
}

export const systemResolve: Resolve = async (host) => (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);

interface Kept {
  /** By the monotonic clock. */
  until: number;
  result: Promise<Outbound>;
}

/**
 * Fetches JSON that agents serve, the only thing this daemon ever asks of an address that a stranger has given. The literal address and every resolved
 * one must be of the public internet, the connection goes to an address that was checked and to no other, redirects are not followed, nothing is
 * decompressed, 64 KiB and five seconds are all it gets; no credential, cookie or referrer is sent. One fetch a second per host, eight at once. What
 * was fetched is kept for a minute, a failure for ten seconds. Never throws.
 */
export class OutboundFetch {
  private readonly kept = new Map<string, Kept>();
  private readonly hostFreeAt = new Map<string, number>();
  private readonly stopping = new AbortController();
  private running = 0;

  constructor(private readonly parts: OutboundParts) {}

  /** The JSON at `address`, or why there is none. */
  json(address: string): Promise<Outbound> {
    const { clock } = this.parts;
    const known = this.kept.get(address);
    if (known && clock.elapsed() < known.until) return known.result;
    const kept: Kept = { until: Number.POSITIVE_INFINITY, result: this.fetched(address) };
    this.kept.delete(address);
    this.kept.set(address, kept);
    if (this.kept.size > OUTBOUND.cached) this.kept.delete(this.kept.keys().next().value as string);
    void kept.result.then((outbound) => {
      const isBusy = !outbound.ok && outbound.reason === 'busy';
      kept.until = isBusy ? 0 : clock.elapsed() + (outbound.ok ? OUTBOUND.cacheMs : OUTBOUND.negativeCacheMs);
    });
    return kept.result;
  }

  /** Ends what is on its way. */
  stop(): void {
    this.stopping.abort();
  }

  private async fetched(address: string): Promise<Outbound> {
    const fetched_ms = this.parts.clock.now();
    const deadline = new AbortController();
    const cancel = this.parts.clock.after(OUTBOUND.totalMs, () => deadline.abort());
    this.running += 1;
    try {
      const target = outboundTarget(address, this.parts.loopback());
      if (this.running > OUTBOUND.atOnce) {
        throw new OutboundRefusal('busy', `${OUTBOUND.atOnce} fetches are on their way already: try again in a moment.`);
      }
      const value = await this.fetchTarget(target, AbortSignal.any([deadline.signal, this.stopping.signal]));
      return { ok: true, value, fetched_ms };
    } catch (error) {
      const { reason, message } = deadline.signal.aborted
        ? new OutboundRefusal('too_slow', `The whole answer was not there within ${OUTBOUND.totalMs / 1000} s.`)
        : refusalOf(error);
      return { ok: false, reason, message, fetched_ms };
    } finally {
      this.running -= 1;
      cancel();
    }
  }

  private async fetchTarget(target: OutboundTarget, signal: AbortSignal): Promise<unknown> {
    await this.turnOf(target.url.host, signal);
    const addresses = isAddress(target.host) ? [target.host] : await unlessAborted(this.resolved(target.host), signal);
    checkAddresses(addresses, target);
    // Loaded by the first fetch: most daemons never make one.
    const undici = await import('undici');
    const dispatcher = pinnedTo(addresses, undici.Agent);
    try {
      const response = await undici.request(target.url, {
        dispatcher,
        signal,
        method: 'GET',
        headers: { accept: 'application/json', 'accept-encoding': 'identity' },
      });
      return parsed(await bodyOf(response));
    } finally {
      // What is left of an answer that is not wanted goes with its connection.
      await dispatcher.destroy();
    }
  }

  private async resolved(host: string): Promise<string[]> {
    try {
      return await (this.parts.resolve ?? systemResolve)(host);
    } catch {
      throw new OutboundRefusal('unresolvable', 'The name of its host could not be resolved.');
    }
  }

  /** Waits until a second has passed since the last fetch from `host`. */
  private async turnOf(host: string, signal: AbortSignal): Promise<void> {
    const now = this.parts.clock.elapsed();
    const at = Math.max(now, this.hostFreeAt.get(host) ?? now);
    this.hostFreeAt.delete(host);
    this.hostFreeAt.set(host, at + OUTBOUND.perHostMs);
    if (this.hostFreeAt.size > OUTBOUND.cached) this.hostFreeAt.delete(this.hostFreeAt.keys().next().value as string);
    if (at - now >= OUTBOUND.totalMs) throw new OutboundRefusal('busy', 'Too many fetches from this host: try again in a moment.');
    if (at > now) await unlessAborted(new Promise<void>((resolve) => void this.parts.clock.after(at - now, resolve)), signal);
  }
}

/** Connections to the addresses that were checked, whatever the name resolves to by now; `answerMs` is how long an answer may let wait for itself. */
export function pinnedTo(addresses: readonly string[], AgentOf: typeof Agent, answerMs: number = OUTBOUND.totalMs): Agent {
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  const [first] = found as [{ address: string; family: number }];
  return new AgentOf({
    connections: 1,
    pipelining: 0,
    headersTimeout: answerMs,
    bodyTimeout: answerMs,
    maxHeaderSize: 16_384,
    connect: {
      timeout: OUTBOUND.totalMs,
      lookup: (_host, options, callback) => (options.all ? callback(null, found) : callback(null, first.address, first.family)),
    },
  });
}

/** The bytes of a plain 200. */
async function bodyOf({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<Buffer> {
  if (statusCode >= 300 && statusCode < 400) {
    throw new OutboundRefusal(
      'redirected',
      `It answered ${statusCode}: redirects are not followed, the endpoint must be the place itself.`,
    );
  }
  if (statusCode !== 200) throw new OutboundRefusal('refused', `It answered ${statusCode} instead of 200.`);
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw new OutboundRefusal('encoded', 'It answered compressed although it was asked not to.');
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > OUTBOUND.bytes) throw new OutboundRefusal('too_large', `Its answer is larger than ${OUTBOUND.bytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parsed(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  if (jsonDepth(text) > OUTBOUND.depth) throw new OutboundRefusal('not_json', `Its answer is nested deeper than ${OUTBOUND.depth} levels.`);
  try {
    return JSON.parse(text);
  } catch {
    throw new OutboundRefusal('not_json', 'Its answer is not JSON.');
  }
}

/** `promise`, or an error as soon as `signal` fires. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new Error('Aborted.'));
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

function refusalOf(error: unknown): OutboundRefusal {
  return error instanceof OutboundRefusal ? error : new OutboundRefusal('unreachable', 'No connection to it could be made, or it broke.');
}
