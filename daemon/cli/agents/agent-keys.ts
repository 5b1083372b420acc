import type { Surface } from '../../contract/network/agents.js';
import { agentKey } from '../../lib/agents/agent-id.js';
import { SecretsFile } from '../secrets-file.js';

/** The credentials of one registration. */
export interface AgentKey {
  agent_id: string;
  api_key: string;
}

type Keys = Partial<Record<Surface, AgentKey>>;

function areKeys(value: unknown): value is Keys {
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value as Keys).every(
    (key) => typeof key.agent_id === 'string' && typeof key.api_key === 'string',
  );
}

/**
 * The API keys of agents that were registered from this command line, stored in one file of the project that only its
 * owner can read.
 */
export class AgentKeys {
  private readonly file: SecretsFile<Keys>;

  constructor(root: string) {
    this.file = new SecretsFile(root, 'agents.json', areKeys);
  }

  get path(): string {
    return this.file.path;
  }

  /** The ids of the agents whose keys are kept, as they were registered, in order. */
  ids(): string[] {
    return [...this.file.read().values()]
      .flatMap((keys) => Object.values(keys)[0]?.agent_id ?? [])
      .sort((a, b) => (a < b ? -1 : 1));
  }

  find(agentId: string): Keys {
    return this.file.read().get(agentKey(agentId)) ?? {};
  }

  put(surface: Surface, key: AgentKey): void {
    const id = agentKey(key.agent_id);
    this.file.change((all) => {
      all.set(id, { ...all.get(id), [surface]: key });
      return true;
    });
  }

  drop(agentId: string, surface: Surface): void {
    const id = agentKey(agentId);
    this.file.change((all) => {
      const { [surface]: _, ...others } = all.get(id) ?? {};
      if (Object.keys(others).length === 0) all.delete(id);
      else all.set(id, others);
      return true;
    });
  }
}
