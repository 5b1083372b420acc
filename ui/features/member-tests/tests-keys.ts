import { teamKeys } from '../team/team-queries.js';

export const testsKeys = {
  /** Below the member's key, because any change of the member changes the state of its tests. */
  one: (id: string) => [...teamKeys.member(id), 'tests'] as const,
  list: [...teamKeys.all, 'tests'] as const,
};
