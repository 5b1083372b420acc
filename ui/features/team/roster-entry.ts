import type { ReactNode } from 'react';
import type { Member } from '../../../daemon/contract/team.js';

/** A member as the roster tells of it, as a line or as a row of the table. */
export interface RosterEntry {
  member: Member;
  /** A turn of it runs. */
  isWorking?: boolean;
  /** How it lives, with the way to what it works on. */
  live?: ReactNode;
  lastUsed?: ReactNode;
  /** How its file stands. */
  file: string;
}
