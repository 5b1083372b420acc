import type { Tier1Card } from '../daemon/contract/agents.js';
import type { Registration } from '../daemon/contract/hub.js';
import { SigningKey } from '../daemon/lib/ed25519.js';
import { signMeshSig } from '../daemon/lib/mesh-sig.js';
import type { Project } from './fixtures.js';

/** Registers an agent on the hub, as a program of its own does. */
export const register = (
  project: Project,
  agent_id: string,
  agent_card: Tier1Card,
  capabilities: string[] = [],
): Promise<Registration> => project.api('POST', '/agents/register', { agent_id, capabilities, agent_card });

/** A sign of life: a fresh token. */
export const heartbeat = (project: Project, { agent_id, api_key }: Registration): Promise<unknown> =>
  project.api('POST', '/agents/token', { agent_id, api_key });

/** A caller with a key of its own, which reports about agents. */
export class Reporter {
  private readonly key = new SigningKey(SigningKey.newSeed());

  constructor(private readonly project: Project) {}

  report(agentId: string, body: object): Promise<unknown> {
    const path = `/v1/agents/${agentId}/feedback`;
    const signed = signMeshSig(this.key, { method: 'POST', path, body: JSON.stringify(body) }, Date.now());
    return this.project.api('POST', path, body, { 'mesh-sig': signed });
  }
}
