import type { Member } from '../../../daemon/contract/team.js';

/** Why a member whose file opens it is closed all the same, in words; undefined for any other. */
export function findHold({ exposure_hold, warnings }: Pick<Member, 'exposure_hold' | 'warnings'>): string | undefined {
  return exposure_hold && warnings?.find(({ path }) => path === 'exposure')?.reason;
}

/** Whether other programs may ask the member: its file says so, and nothing keeps it internal. */
export const isOpen = ({ exposure, exposure_hold }: Pick<Member, 'exposure' | 'exposure_hold'>) =>
  exposure === 'external' && exposure_hold === undefined;

/** Whether the repository opens the member and the operator has not said yet whether to expose it. */
export const isWaiting = ({ exposure_hold }: Pick<Member, 'exposure_hold'>) => exposure_hold === 'agreement';

/** What keeps a member internal, in the words of a badge. */
export const HOLD_WORDS = {
  agreement: 'needs approval',
  kept_internal: 'kept internal',
  tests: 'blocked by tests',
} as const;
