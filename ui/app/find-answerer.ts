import type { Member } from '../../daemon/contract/team.js';
import { isOpen } from '../features/team/is-open.js';

/** Returns the member that questions go to by default: consultant, else an exposed one, else any that can answer. */
export function findAnswerer(members: readonly Member[]): Member | undefined {
  const serving = members.filter((one) => one.serving);
  return serving.find(({ id }) => id === 'consultant') ?? serving.find(isOpen) ?? serving[0];
}
