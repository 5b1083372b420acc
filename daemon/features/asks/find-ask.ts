import { REQUEST_RETENTION_DAYS } from '../../contract/limits.js';
import { unknownId } from '../../lib/errors.js';
import type { Clock } from '../../lib/time/clock.js';
import type { Ask, AskStore } from './ask-store.js';

/** How long an ask can be read after its creation. */
export const RETENTION_MS = REQUEST_RETENTION_DAYS * 86_400_000;

interface Parts {
  store: Pick<AskStore, 'find'>;
  clock: Clock;
}

/** Returns any ask of the last 30 days. Throws `not_found`. */
export function findAsk({ store, clock }: Parts, requestId: string): Ask {
  const ask = store.find(requestId);
  if (!ask || ask.created_ms < clock.now() - RETENTION_MS) throw unknownId('request', requestId);
  return ask;
}

/** Returns an ask of the member's callers. Throws `not_found` for any other. */
export function findOwnAsk(parts: Parts, memberId: string, requestId: string): Ask {
  const ask = findAsk(parts, requestId);
  if (ask.member !== memberId || ask.caller.test) throw unknownId('request', requestId);
  return ask;
}
