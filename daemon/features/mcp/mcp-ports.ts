import type { CodePlaces, CodeQuery } from '../../contract/code.js';
import type { FoundAgent, SearchBody } from '../../contract/network/oracle.js';
import type { Clock } from '../../lib/time/clock.js';
import type { AgentHost } from '../agent-host/agent-host.js';
import type { Asks } from '../asks/asks.js';
import type { Boards } from '../boards/boards.js';
import type { Posts } from '../boards/posts.js';
import type { PublicBoards } from '../boards/public-boards.js';
import type { Clusters } from '../clusters/clusters.js';
import type { Exposure } from '../exposure/exposure.js';
import type { Oracle } from '../oracle/oracle.js';

/** The daemon's operations that the protocol gives access to. */
export interface McpPorts {
  exposure: Pick<Exposure, 'external'>;
  host: Pick<AgentHost, 'agent' | 'ready'>;
  asks: Pick<Asks, 'acceptAsk' | 'wait' | 'read' | 'cancelAsk' | 'list'>;
  oracle: Pick<Oracle, 'search'>;
  /** Searches the exposed members of the user's other running projects. */
  findElsewhere(body: SearchBody): Promise<FoundAgent[]>;
  clusters: Pick<Clusters, 'find' | 'list'>;
  boards: Pick<Boards, 'list'>;
  posts: Pick<Posts, 'list' | 'read' | 'pin'>;
  publicBoards: Pick<PublicBoards, 'list'>;
  /** The structure of the code, in the files that Git tracks. */
  code: {
    /** Whether callers of the member may look it up: when the built-in search answers them. */
    isOpenTo(member: string): boolean;
    find(query: CodeQuery, name?: string): Promise<CodePlaces>;
  };
  /** Name of the last tool used by the running turn of a conversation. */
  lastTool: (conv: string) => string | undefined;
  clock: Clock;
  version: string;
}

/**
 * The access of an anonymous caller to a public cluster. No cluster token is accepted here, so a private cluster looks
 * like one that does not exist.
 */
export const publicVisit = (cluster: string) => ({ cluster, credential: undefined, isAdult: false });
