import { teamKeys } from '../team/team-queries.js';

export const testsKeys = {
  /** Below the member: whatever changes it changes how its tests stand. */
  one: (id: string) => [...teamKeys.member(id), 'tests'] as const,
  list: [...teamKeys.all, 'tests'] as const,
};
