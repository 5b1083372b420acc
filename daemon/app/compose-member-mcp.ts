import type { Asks } from '../features/asks/asks.js';
import { composeMcp } from '../features/mcp/compose-mcp.js';
import type { Mcp } from '../features/mcp/mcp.js';
import { composeTurnMcp } from '../features/mcp/turns/compose-turn-mcp.js';
import { NeighbourSearch } from '../features/projects/neighbour-search.js';
import type { RunningProjects } from '../features/projects/running-projects.js';
import type { AgentsArea } from './compose-agents.js';
import type { ClientsArea } from './compose-clients.js';
import type { ClustersArea } from './compose-clusters.js';
import type { ConversationsArea } from './compose-conversations.js';
import type { DirectoriesArea } from './compose-directories.js';
import type { TeamArea } from './compose-team.js';
import type { Core } from './core.js';

interface MemberMcpParts {
  clients: ClientsArea;
  team: TeamArea;
  conversations: ConversationsArea;
  asks: Asks;
  directories: DirectoriesArea;
  agents: AgentsArea;
  clusters: ClustersArea;
  projects: RunningProjects;
}

/** Composes the Model Context Protocol for the exposed members. */
export function composeMemberMcp(
  { app, bus, clock, version, wrong }: Core,
  { clients, team, conversations, asks, directories, agents, clusters, projects }: MemberMcpParts,
): Promise<Mcp> {
  const neighbours = new NeighbourSearch(projects, clock);
  return composeMcp({
    app,
    bus,
    wrong,
    clock,
    version,
    exposure: team.exposure,
    host: agents.host,
    asks,
    code: {
      isOpenTo: (member) => team.findExposed(member)?.client_resolved === 'builtin',
      find: (query, name) => clients.knowledge.findCode(query, name, 'outside'),
    },
    oracle: directories.oracle,
    findElsewhere: (body) => neighbours.search(body),
    clusters: clusters.clusters,
    boards: clusters.boards.boards,
    posts: clusters.boards.posts,
    publicBoards: clusters.boards.publicBoards,
    lastTool: (conv) => conversations.runs.live(conv)?.calls.at(-1)?.name,
  });
}

/** Composes the tools of the agents of running turns. */
export function composeOwnTurnMcp(
  { app, clock, version, wrong }: Core,
  { clients, team, conversations, clusters }: Pick<MemberMcpParts, 'clients' | 'team' | 'conversations' | 'clusters'>,
): Mcp {
  const { delegations, tokens, findAgent } = conversations;
  return composeTurnMcp({
    ...{ app, wrong, clock, version, delegations, tokens, findAgent },
    boards: clusters.boards.boards,
    posts: clusters.boards.posts,
    findCode: (query, name) => clients.knowledge.findCode(query, name, 'operator'),
    listMembers: () =>
      team.team.servingMembers().map((member) => {
        const { id, name, description, kind } = member;
        const { client_resolved, problem = null } = clients.clients.resolve(member);
        return { id, name, description, kind, client: client_resolved, problem };
      }),
  });
}
