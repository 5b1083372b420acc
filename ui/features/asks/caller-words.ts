import type { Caller, RequestRow } from '../../../daemon/contract/asks.js';
import { shownWords } from '../../lib/shown-words.js';

/** Who asked, as far as it says itself: the first product of its User-Agent. Nothing here is proven. */
export function callerWords({ user_agent, test }: Caller): string {
  if (test) return 'your tests';
  if (!user_agent) return 'unknown program';
  if (user_agent.startsWith('Mozilla/')) return 'a browser';
  return shownWords(user_agent.split(' ')[0] ?? user_agent);
}

/** Programs that asked, told apart by what they say they are; one's own tests come through no door. */
export const callersOf = (requests: readonly Pick<RequestRow, 'caller'>[]): ReadonlySet<string> =>
  new Set(requests.filter(({ caller }) => !caller.test).map(({ caller }) => caller.user_agent ?? ''));
