import type { Clock } from '../../lib/clock.js';
import type { AgentHost } from '../agent-host/agent-host.js';
import type { Asks } from '../asks/asks.js';
import type { Boards } from '../boards/boards.js';
import type { Posts } from '../boards/posts.js';
import type { PublicBoards } from '../boards/public-boards.js';
import type { Clusters } from '../clusters/clusters.js';
import type { Exposure } from '../exposure/exposure.js';
import type { Oracle } from '../oracle/oracle.js';

/** What of the daemon is reached through the protocol. */
export interface McpPorts {
  exposure: Pick<Exposure, 'external'>;
  host: Pick<AgentHost, 'agent' | 'ready'>;
  asks: Pick<Asks, 'acceptAsk' | 'wait' | 'read' | 'cancelAsk' | 'list'>;
  oracle: Pick<Oracle, 'search'>;
  clusters: Pick<Clusters, 'find' | 'list'>;
  boards: Pick<Boards, 'list'>;
  posts: Pick<Posts, 'list' | 'read' | 'pin'>;
  publicBoards: Pick<PublicBoards, 'list'>;
  /** Name of the tool that the running turn of a conversation used last. */
  lastTool: (conv: string) => string | undefined;
  clock: Clock;
  version: string;
}

/** A public cluster as anybody sees it: nobody's token is taken here, so a private one is as absent as one that never was. */
export const publicVisit = (cluster: string) => ({ cluster, credential: undefined, isAdult: false });
