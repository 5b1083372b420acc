import type { ReactNode } from 'react';
import type { Member } from '../../../../daemon/contract/team.js';

/** A member with the data shown in the roster's list. */
export interface RosterEntry {
  member: Member;
  /** A turn of the member is running. */
  isWorking?: boolean;
  /** Its activity, with links to its conversations. */
  live?: ReactNode;
  /** When and how it was last used. */
  lastUsed?: ReactNode;
  usedAt?: string | undefined;
  /** The state of its file. */
  file: string;
}
