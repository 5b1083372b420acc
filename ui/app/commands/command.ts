import type { ReactNode } from 'react';
import type { Findable } from '../command-ranking.js';

/** Something that the palette goes to or does. */
export interface Command extends Findable {
  group:
    | 'Pages'
    | 'Actions'
    | 'Members'
    | 'Clusters'
    | 'Projects'
    | 'Boards'
    | 'Posts'
    | 'Agents'
    | 'Requests'
    | 'Agent search';
  id: string;
  mark?: ReactNode;
  run: () => void;
}

/** Commands of one source, and whether more of them are still on their way. */
export interface Commands {
  known: readonly Command[];
  isComing: boolean;
}
