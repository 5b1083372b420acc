import type { MemberList } from '../../contract/team.js';

/**
 * Exposes every member that waits for the operator's agreement, one by one through the API as the dashboard does. A
 * member file that a test places in `.mesh/team` counts as a part of the repository and exposes no member by itself.
 * Returns the ids of the exposed members.
 */
export async function exposeWaiting(call: (method: string, path: string) => Promise<unknown>): Promise<string[]> {
  const { members } = (await call('GET', '/team')) as MemberList;
  const waiting = members.filter((member) => member.exposure_hold === 'agreement').map(({ id }) => id);
  for (const id of waiting) await call('POST', `/team/${id}/expose`);
  return waiting;
}
