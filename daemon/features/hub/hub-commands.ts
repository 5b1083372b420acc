import { ByHubAgent, ChangeHubAgent, type HubEdit, RegisterHubAgent } from '../../contract/commands/hub.js';
import { SeenAgents } from '../../contract/commands/seen.js';
import { REGISTRATIONS_MAX } from '../../contract/network/agents.js';
import { agentKey } from '../../lib/agents/agent-id.js';
import { MeshError } from '../../lib/errors.js';
import { type CommandKind, commandKind } from '../../shared-log/command-kinds.js';
import type { Command } from '../../shared-log/shared-log.js';
import type { Owned } from '../../shared-log/shared-tables.js';
import type { HubContactsStore } from './hub-contacts-store.js';
import { registrationOver } from './hub-directory.js';
import type { AgentRow, HubStore } from './hub-store.js';

const toHubAgent = (id: string): Owned => ({ area: 'hub', id: agentKey(id) });

/** Those of the agents that are registered, each by its id. */
export const listOwned = (store: Pick<HubStore, 'findId'>, agents: readonly number[]): Owned[] =>
  agents.flatMap((agent) => store.findId(agent) ?? []).map(toHubAgent);

/** An agent that was removed, and the ids of those that had it as a contact. */
export type RemovedAgent = AgentRow & { owners: readonly string[] };

/** The kinds of commands that change registrations of the hub, over their tables. */
export class HubCommands {
  /** `gone` is called with the id of an agent that a command has removed, to delete what else is about it. */
  constructor(
    private readonly store: HubStore,
    private readonly gone: (agentId: string) => void = () => undefined,
    private readonly contacts?: Pick<HubContactsStore, 'listOwners'>,
  ) {}

  get kinds(): Readonly<Record<string, CommandKind>> {
    return {
      'hub.register': commandKind(RegisterHubAgent, (body, command) => this.register(body, command), {
        takes: (_, { entity }) => [toHubAgent(entity)],
      }),
      'hub.change': commandKind(ChangeHubAgent, (body) => this.change(body), {
        requires: ({ agent }) => listOwned(this.store, [agent]),
      }),
      'hub.deregister': commandKind(ByHubAgent, ({ agent }) => this.deregister(agent), {
        requires: ({ agent }) => listOwned(this.store, [agent]),
        frees: ({ agent }) => listOwned(this.store, [agent]),
      }),
      'hub.seen': commandKind(
        SeenAgents,
        ({ seen }, { at }) => {
          // Nobody has been seen after it was said.
          for (const { agent, ms } of seen) this.store.putSeen(agent, Math.min(ms, at));
        },
        {
          requires: ({ seen }) =>
            listOwned(
              this.store,
              seen.map(({ agent }) => agent),
            ),
        },
      ),
    };
  }

  /** Returns the number that the registration got. */
  private register(body: RegisterHubAgent, { entity, at }: Command): number {
    if (this.store.holds(REGISTRATIONS_MAX)) {
      throw new MeshError('overloaded', `The hub holds ${REGISTRATIONS_MAX} agents, which is all it can.`);
    }
    const { rid, api_key_sha256, description, capabilities, card, is_verified } = body;
    const seq = this.store.insert({
      ...{ key: agentKey(entity), agent_id: entity, rid, description, capabilities, card },
      apiKeySha256: Buffer.from(api_key_sha256, 'base64url'),
      isVerified: is_verified,
      registeredMs: at,
    });
    if (seq !== undefined) return seq;
    throw new MeshError('agent_id_claimed', `"${entity}" is registered already: choose another id.`, {
      details: { path: 'agent_id' },
    });
  }

  private change({ agent, edit }: ChangeHubAgent): AgentRow {
    const current = this.store.find(agent);
    if (!current) throw registrationOver();
    const changed = editAgent(current, edit);
    this.store.put(changed);
    return changed;
  }

  /** Returns the row that was deleted, with the owners of the contacts that are deleted with it. */
  private deregister(agent: number): RemovedAgent {
    const row = this.store.find(agent);
    if (!row) throw registrationOver();
    const owners = this.contacts?.listOwners(agent) ?? [];
    this.store.remove(agent);
    this.gone(row.agent_id);
    return { ...row, owners };
  }
}

/** The row after the edit. */
export function editAgent(row: AgentRow, { availability, is_back, ...named }: HubEdit): AgentRow {
  const edited = { ...row, ...named };
  if (availability !== undefined) return { ...edited, card: { ...edited.card, availability } };
  if (is_back !== true || edited.card === null) return edited;
  return { ...edited, card: { ...edited.card, availability: { now: true } } };
}
