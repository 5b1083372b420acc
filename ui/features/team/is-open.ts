import type { Member } from '../../../daemon/contract/team.js';

/** Returns why a member is internal although its file exposes it; undefined for any other member. */
export function findHold({ exposure_hold, warnings }: Pick<Member, 'exposure_hold' | 'warnings'>): string | undefined {
  return exposure_hold && warnings?.find(({ path }) => path === 'exposure')?.reason;
}

/** Reports whether other programs may ask the member: its file exposes it, and nothing keeps it internal. */
export const isOpen = ({ exposure, exposure_hold }: Pick<Member, 'exposure' | 'exposure_hold'>) =>
  exposure === 'external' && exposure_hold === undefined;

/** Reports whether the file exposes the member and the operator has not decided yet. */
export const isWaiting = ({ exposure_hold }: Pick<Member, 'exposure_hold'>) => exposure_hold === 'agreement';

/** Badge texts for what keeps a member internal. */
export const HOLD_WORDS = {
  agreement: 'needs approval',
  kept_internal: 'kept internal',
  tests: 'blocked by tests',
} as const;
