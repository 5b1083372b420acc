import type { Caller, RequestRow } from '../../../daemon/contract/asks.js';
import { toDisplayText } from '../../lib/format/display-text.js';

/** Names the caller by the first product of its User-Agent. This is not verified. */
export function formatCaller({ user_agent, test }: Caller): string {
  if (test) return 'your tests';
  if (!user_agent) return 'unknown program';
  if (user_agent.startsWith('Mozilla/')) return 'a browser';
  return toDisplayText(user_agent.split(' ')[0] ?? user_agent);
}

/** Returns the distinct callers by User-Agent, without the operator's own tests. */
export const listCallers = (requests: readonly Pick<RequestRow, 'caller'>[]): ReadonlySet<string> =>
  new Set(requests.filter(({ caller }) => !caller.test).map(({ caller }) => caller.user_agent ?? ''));
