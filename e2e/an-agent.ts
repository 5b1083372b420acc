import type { Tier1Card } from '../daemon/contract/network/agents.js';
import type { Registration } from '../daemon/contract/network/hub.js';
import { SigningKey } from '../daemon/lib/crypto/ed25519.js';
import { signMeshSig } from '../daemon/lib/crypto/mesh-sig.js';
import type { Project } from './fixtures.js';

/** Registers an agent on the hub, as an external program does. */
export const register = (
  project: Project,
  agent_id: string,
  agent_card: Tier1Card,
  capabilities: string[] = [],
): Promise<Registration> => project.api('POST', '/agents/register', { agent_id, capabilities, agent_card });

/** Sends a heartbeat, which returns a fresh token. */
export const heartbeat = (project: Project, { agent_id, api_key }: Registration): Promise<unknown> =>
  project.api('POST', '/agents/token', { agent_id, api_key });

/** A caller with its own key that files reports about agents. */
export class Reporter {
  private readonly key = new SigningKey(SigningKey.newSeed());

  constructor(private readonly project: Project) {}

  report(agentId: string, body: object): Promise<unknown> {
    const path = `/v1/agents/${agentId}/feedback`;
    const signed = signMeshSig(this.key, { method: 'POST', path, body: JSON.stringify(body) }, Date.now());
    return this.project.api('POST', path, body, { 'mesh-sig': signed });
  }
}
