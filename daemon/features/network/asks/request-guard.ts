import {
  NETWORK_REQUEST_CLOCK_MS,
  NETWORK_REQUESTS_PER_MINUTE,
  type NetworkRequest,
} from '../../../contract/shared/network-asks.js';
import { MeshError } from '../../../lib/errors.js';
import type { Clock } from '../../../lib/time/clock.js';

const MINUTE_MS = 60_000;
/** Daemons whose requests of the last minutes are remembered. */
const DAEMONS_MAX = 2_000;

interface RequestHistory {
  /** When each of the last minute's requests came, by the monotonic clock. */
  times: number[];
  /** Ids of requests, with the wall time at which they are too old to be accepted anyway. */
  ids: Map<string, number>;
}

/** Refuses requests that are too old, were heard before, or are too many of one daemon. */
export class RequestGuard {
  private readonly heard = new Map<string, RequestHistory>();

  constructor(private readonly clock: Clock) {}

  /**
   * Takes a request whose signature is right. Returns false for one that was taken before: whoever sent it again gets
   * no answer. Throws `bad_signature` for a clock that differs by more than two minutes, and `too_many_requests`.
   */
  take(daemon: string, { id, at }: Pick<NetworkRequest, 'id' | 'at'>): boolean {
    const { clock } = this;
    const [now, elapsed] = [clock.now(), clock.elapsed()];
    const offMs = at - now;
    if (Math.abs(offMs) > NETWORK_REQUEST_CLOCK_MS) {
      const seconds = Math.round(Math.abs(offMs) / 1000);
      throw new MeshError(
        'bad_signature',
        `The request is dated ${seconds} seconds ${offMs > 0 ? 'ahead' : 'back'}: set the clocks of both ` +
          'machines right.',
      );
    }
    const heard = this.find(daemon, now);
    for (const [known, until] of heard.ids) if (until < now) heard.ids.delete(known);
    if (heard.ids.has(id)) return false;
    heard.times = heard.times.filter((time) => elapsed - time < MINUTE_MS);
    const [oldest] = heard.times;
    if (oldest !== undefined && heard.times.length >= NETWORK_REQUESTS_PER_MINUTE) {
      const retryAfter = Math.max(1, Math.ceil((MINUTE_MS - (elapsed - oldest)) / 1000));
      throw new MeshError(
        'too_many_requests',
        `A daemon may send ${NETWORK_REQUESTS_PER_MINUTE} requests a minute: wait ${retryAfter} s.`,
      );
    }
    heard.times.push(elapsed);
    heard.ids.set(id, at + NETWORK_REQUEST_CLOCK_MS);
    return true;
  }

  /** Nothing that could be sent again is forgotten: with too many daemons, further ones have to wait. */
  private find(daemon: string, now: number): RequestHistory {
    const known = this.heard.get(daemon);
    if (known) return known;
    if (this.heard.size >= DAEMONS_MAX) {
      for (const [other, { ids }] of this.heard)
        if ([...ids.values()].every((until) => until < now)) this.heard.delete(other);
    }
    if (this.heard.size >= DAEMONS_MAX)
      throw new MeshError('too_many_requests', 'Too many daemons ask here at once: try again in a few minutes.');
    const heard = { times: [], ids: new Map() };
    this.heard.set(daemon, heard);
    return heard;
  }
}
