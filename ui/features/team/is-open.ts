import type { Member } from '../../../daemon/contract/team.js';

/** Why a member whose file opens it is closed all the same: its tests block that; undefined for any other. */
export function findHold({ warnings }: Pick<Member, 'warnings'>): string | undefined {
  return warnings?.find(({ path }) => path === 'exposure')?.reason;
}

/** Whether other programs may ask the member: its file says so, and nothing holds its door. */
export const isOpen = (member: Pick<Member, 'exposure' | 'warnings'>) =>
  member.exposure === 'external' && findHold(member) === undefined;
