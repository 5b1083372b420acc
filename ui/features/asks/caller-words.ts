import type { Caller, RequestRow } from '../../../daemon/contract/asks.js';
import { shownWords } from '../../lib/shown-words.js';

/** Names the caller by the first product of its User-Agent. This is not verified. */
export function callerWords({ user_agent, test }: Caller): string {
  if (test) return 'your tests';
  if (!user_agent) return 'unknown program';
  if (user_agent.startsWith('Mozilla/')) return 'a browser';
  return shownWords(user_agent.split(' ')[0] ?? user_agent);
}

/** Returns the distinct callers by User-Agent, without the operator's own tests. */
export const callersOf = (requests: readonly Pick<RequestRow, 'caller'>[]): ReadonlySet<string> =>
  new Set(requests.filter(({ caller }) => !caller.test).map(({ caller }) => caller.user_agent ?? ''));
