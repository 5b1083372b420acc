import type { ReactNode } from 'react';
import type { Member } from '../../../daemon/contract/team.js';

/** A member with the data shown in the roster's list and table. */
export interface RosterEntry {
  member: Member;
  /** A turn of the member is running. */
  isWorking?: boolean;
  /** Its activity, with links to its conversations. */
  live?: ReactNode;
  lastUsed?: ReactNode;
  /** The state of its file. */
  file: string;
}
