import type { MemberList } from '../contract/team.js';

/**
 * Gives the operator's yes to every member that waits for it, one by one over the wire as the dashboard does: what a
 * test plants in `.mesh/team` came with the repository, and opens nobody by itself. Returns whom it exposed.
 */
export async function exposeWaiting(call: (method: string, path: string) => Promise<unknown>): Promise<string[]> {
  const { members } = (await call('GET', '/team')) as MemberList;
  const waiting = members.filter((member) => member.exposure_hold === 'agreement').map(({ id }) => id);
  for (const id of waiting) await call('POST', `/team/${id}/expose`);
  return waiting;
}
