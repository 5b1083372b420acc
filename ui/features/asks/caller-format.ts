import type { Caller, RequestRow } from '../../../daemon/contract/asks.js';
import { toDisplayText } from '../../lib/format/display-text.js';

/** Names the caller: the operator, else the first product of its User-Agent, which is not verified. */
export function formatCaller({ user_agent, test, operator }: Caller): string {
  if (test) return 'your tests';
  if (operator) return 'you';
  if (!user_agent) return 'unknown program';
  if (user_agent.startsWith('Mozilla/')) return 'a browser';
  return toDisplayText(user_agent.split(' ')[0] ?? user_agent);
}

/** Returns the distinct callers by User-Agent, without the operator and its tests. */
export const listCallers = (requests: readonly Pick<RequestRow, 'caller'>[]): ReadonlySet<string> =>
  new Set(
    requests.filter(({ caller }) => !caller.test && !caller.operator).map(({ caller }) => caller.user_agent ?? ''),
  );

const HOUR_MS = 3_600_000;

/** Counts the callers of the hour before `now`, in epoch milliseconds. */
export const countCallersInTheHour = (requests: readonly Pick<RequestRow, 'caller' | 'created_at'>[], now: number) =>
  listCallers(requests.filter(({ created_at }) => now - Date.parse(created_at) < HOUR_MS)).size;
