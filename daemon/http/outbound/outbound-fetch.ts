import { unlessAborted } from '../../lib/async/unless-aborted.js';
import type { Clock } from '../../lib/time/clock.js';
import { jsonDepth } from '../json-body.js';
import { callOutbound, type Resolve, systemResolve, toOutboundError } from './outbound-call.js';
import { OutboundError, type OutboundReason, type OutboundTarget, outboundTarget } from './outbound-policy.js';

const OUTBOUND = {
  bytes: 64 * 1024,
  totalMs: 5000,
  depth: 16,
  cacheMs: 60_000,
  negativeCacheMs: 10_000,
  perHostMs: 1000,
  atOnce: 8,
  cached: 1000,
} as const;

/** The result of a fetch. `fetched_ms` is the time at which the fetch started, in milliseconds since the epoch. */
export type Outbound = { fetched_ms: number } & (
  | { ok: true; value: unknown }
  | { ok: false; reason: OutboundReason; message: string }
);

interface OutboundParts {
  clock: Clock;
  /**
   * `host:port` of the loopback endpoints that may be fetched: this daemon's own and those listed in the machine's
   * configuration.
   */
  loopback: () => ReadonlySet<string>;
  resolve?: Resolve;
}

interface CachedResult {
  /** Expiry in milliseconds of the monotonic clock. */
  until: number;
  result: Promise<Outbound>;
}

/**
 * Fetches JSON that agents serve at untrusted addresses, under the policy of `callOutbound`: at most 64 KiB within five
 * seconds; no credential, cookie or referrer is sent. At most one fetch a second per host and eight at once. A result
 * is cached for a minute, a failure for ten seconds. Never throws.
 */
export class OutboundFetch {
  private readonly kept = new Map<string, CachedResult>();
  private readonly hostFreeAt = new Map<string, number>();
  private readonly stopping = new AbortController();
  private running = 0;

  constructor(private readonly parts: OutboundParts) {}

  /** Returns the JSON at `address`, or the reason why there is none. */
  json(address: string): Promise<Outbound> {
    const { clock } = this.parts;
    const known = this.kept.get(address);
    if (known && clock.elapsed() < known.until) return known.result;
    const cached: CachedResult = { until: Number.POSITIVE_INFINITY, result: this.fetched(address) };
    this.kept.delete(address);
    this.kept.set(address, cached);
    if (this.kept.size > OUTBOUND.cached) this.kept.delete(this.kept.keys().next().value as string);
    void cached.result.then((outbound) => {
      const isBusy = !outbound.ok && outbound.reason === 'busy';
      cached.until = isBusy ? 0 : clock.elapsed() + (outbound.ok ? OUTBOUND.cacheMs : OUTBOUND.negativeCacheMs);
    });
    return cached.result;
  }

  /** Aborts fetches in progress. */
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
        throw new OutboundError('busy', `${OUTBOUND.atOnce} fetches are on their way already: try again in a moment.`);
      }
      const value = await this.fetchTarget(target, AbortSignal.any([deadline.signal, this.stopping.signal]));
      return { ok: true, value, fetched_ms };
    } catch (error) {
      const { reason, message } = deadline.signal.aborted
        ? new OutboundError('too_slow', `The whole answer was not there within ${OUTBOUND.totalMs / 1000} s.`)
        : toOutboundError(error);
      return { ok: false, reason, message, fetched_ms };
    } finally {
      this.running -= 1;
      cancel();
    }
  }

  private async fetchTarget(target: OutboundTarget, signal: AbortSignal): Promise<unknown> {
    await this.waitForHost(target.url.host, signal);
    const { text } = await callOutbound({
      target,
      resolve: this.parts.resolve ?? systemResolve,
      signal,
      method: 'GET',
      answerMs: OUTBOUND.totalMs,
      maxBytes: OUTBOUND.bytes,
      checkStatus: (status) => {
        if (status !== 200) throw new OutboundError('refused', `It answered ${status} instead of 200.`);
      },
    });
    return parsed(text);
  }

  /**
   * Waits until a second has passed since the last fetch from `host`. Throws `busy` when the wait would exceed the
   * total time limit.
   */
  private async waitForHost(host: string, signal: AbortSignal): Promise<void> {
    const now = this.parts.clock.elapsed();
    const at = Math.max(now, this.hostFreeAt.get(host) ?? now);
    // Before the host is marked: a fetch that is refused must not delay the next one.
    if (at - now >= OUTBOUND.totalMs)
      throw new OutboundError('busy', 'Too many fetches from this host: try again in a moment.');
    this.hostFreeAt.delete(host);
    this.hostFreeAt.set(host, at + OUTBOUND.perHostMs);
    if (this.hostFreeAt.size > OUTBOUND.cached) this.hostFreeAt.delete(this.hostFreeAt.keys().next().value as string);
    if (at > now)
      await unlessAborted(new Promise<void>((resolve) => void this.parts.clock.after(at - now, resolve)), signal);
  }
}

function parsed(text: string): unknown {
  if (jsonDepth(text) > OUTBOUND.depth)
    throw new OutboundError('not_json', `Its answer is nested deeper than ${OUTBOUND.depth} levels.`);
  try {
    return JSON.parse(text);
  } catch {
    throw new OutboundError('not_json', 'Its answer is not JSON.');
  }
}
