import type { ReactNode } from 'react';
import type { Findable } from './command-ranking.js';

/** An entry of the palette: a place to go to or an action. */
export interface Command extends Findable {
  group:
    | 'Ask'
    | 'Files'
    | 'Symbols'
    | 'Conversations'
    | 'Settings'
    | 'Pages'
    | 'Actions'
    | 'Members'
    | 'Members of the network'
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

/** The commands of one source, and whether more of them are still loading. */
export interface Commands {
  known: readonly Command[];
  isComing: boolean;
}
