import type { HttpClient } from '../http-client.js';
import type { Terminal } from '../terminal.js';
import type { AgentKeys } from './agent-keys.js';
import { lookUp } from './agent-surfaces.js';

const GONE = 'not registered';

const formatState = (isThere: boolean | undefined, isLive: boolean | undefined) =>
  isThere ? (isLive ? 'online' : 'offline') : GONE;

/** Prints the agents whose keys are kept here, with their state on both surfaces. */
export async function listAgents(
  terminal: Terminal,
  client: HttpClient,
  keys: AgentKeys,
  json: boolean | undefined,
): Promise<void> {
  const agents = await Promise.all(
    keys.ids().map(async (agent_id) => {
      const { hub, v1 } = await lookUp(client, agent_id);
      return { agent_id, hub: formatState(hub !== null, hub?.online), v1: formatState(v1?.registered, v1?.live) };
    }),
  );
  if (json) return terminal.object({ agents, count: agents.length });
  if (agents.length === 0) return terminal.note('No agents of your own: `meshd agent register <id>` registers one.');
  terminal.table(
    agents.map(({ agent_id, hub, v1 }) => [agent_id, hub, v1]),
    ['AGENT', 'HUB', 'UNIFIED API'],
  );
}
