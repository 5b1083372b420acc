import {
  BindAgentKey,
  ChangeAgent,
  ImportEntries,
  OfRegistration,
  RegisterAgent,
  SetAgentState,
} from '../../contract/commands/registry.js';
import { REGISTRATIONS_MAX } from '../../contract/network/agents.js';
import { agentKey } from '../../lib/agents/agent-id.js';
import { MeshError } from '../../lib/errors.js';
import { type CommandKind, commandKind, type Owned, type Ownership } from '../../shared-log/command-kinds.js';
import type { Command } from '../../shared-log/shared-log.js';
import { differs } from './agent-profile.js';
import type { RegistryRow, RegistryStore } from './registry-store.js';
import { createStub } from './registry-stub.js';

/** What a sign of life found. */
export interface SeenAgent {
  agent_id: string;
  isAway: boolean;
}

/** A row after a change. */
export interface ChangedAgent {
  row: RegistryRow;
  /** Whether other callers see a difference. */
  isDifferent: boolean;
  /** The agent that lost its key to this one. */
  unbound: string | null;
}

/** A removed registration. */
export interface RemovedAgent {
  agent_id: string;
  /** The id in the catalog entry that the agent reverts to. */
  stub: string | null;
}

export interface ImportedEntries {
  added: number;
  updated: number;
  /** The ids of the rows that were written. */
  touched: string[];
  /** The `index` of each entry for which there was no room. */
  full: number[];
}

type Change = Partial<Omit<RegistryRow, 'seq' | 'agent_id' | 'rid' | 'api_key_hash'>>;

const toAgent = (id: string): Owned => ({ area: 'registry', id: agentKey(id) });
const toCatalogEntry = ({ entry }: ImportEntries['entries'][number]): Owned => ({
  area: 'catalog',
  id: agentKey(entry.agent_id),
});
/** Only the daemon that registered an agent changes it. */
const OWN_AGENT: Ownership = { requires: (_: unknown, { entity }: Command) => [toAgent(entity)] };

/** The kinds of commands that change the directory, over its table. */
export class RegistryCommands {
  constructor(private readonly store: RegistryStore) {}

  get kinds(): Readonly<Record<string, CommandKind>> {
    return {
      'registry.register': commandKind(RegisterAgent, (body, command) => this.register(body, command), {
        takes: (_, { entity }) => [toAgent(entity)],
      }),
      'registry.seen': commandKind(OfRegistration, ({ rid }, command) => this.see(rid, command), OWN_AGENT),
      'registry.change': commandKind(
        ChangeAgent,
        ({ rid, profile, is_seen }, command) =>
          this.change(rid, command, () => ({ ...profile, ...(is_seen && { last_seen_ms: command.at }) })),
        OWN_AGENT,
      ),
      'registry.set-state': commandKind(
        SetAgentState,
        ({ rid, availability }, command) =>
          this.change(rid, command, ({ agent_card }) => ({
            agent_card: { ...agent_card, availability },
            avail_status: null,
          })),
        OWN_AGENT,
      ),
      'registry.bind-key': commandKind(
        BindAgentKey,
        ({ rid, pubkey }, command) => this.bindKey(rid, pubkey, command),
        // The agent that loses the key, too: only its daemon has seen that somebody else holds the key.
        { requires: ({ pubkey }, { entity }) => [entity, ...this.listHolders(pubkey)].map(toAgent) },
      ),
      'registry.deregister': commandKind(OfRegistration, ({ rid }, command) => this.deregister(rid, command), {
        ...OWN_AGENT,
        frees: (_, { entity }) => [toAgent(entity)],
      }),
      'catalog.import': commandKind(ImportEntries, ({ entries }) => this.importEntries(entries), {
        requires: ({ entries }) => entries.map(toCatalogEntry),
        takes: ({ entries }) => entries.map(toCatalogEntry),
      }),
    };
  }

  private register({ rid, api_key_sha256, pubkey, profile }: RegisterAgent, { entity, at }: Command): void {
    const stub = this.store.find(entity);
    if (stub && stub.rid !== null) {
      throw new MeshError('agent_id_claimed', `"${stub.agent_id}" is registered already: choose another id.`, {
        details: { path: 'agent_id' },
      });
    }
    if (!stub && this.store.count() >= REGISTRATIONS_MAX) {
      throw new MeshError('overloaded', `The registry holds ${REGISTRATIONS_MAX} agents, which is all it can.`);
    }
    this.store.put({
      agent_id: entity,
      rid,
      api_key_hash: Buffer.from(api_key_sha256, 'base64url'),
      description: null,
      capabilities: [],
      endpoint: null,
      agent_card: null,
      pubkey,
      is_verified: false,
      avail_status: null,
      registered_ms: at,
      last_seen_ms: at,
      catalog: stub?.catalog ?? null,
      ...profile,
    });
  }

  private see(rid: string, { entity, at }: Command): SeenAgent {
    const { seq, agent_id, is_away } = this.requireRegistration(entity, rid);
    this.store.putSeen(seq, at);
    return { agent_id, isAway: is_away === 1 };
  }

  private change(rid: string, { entity }: Command, edit: (row: RegistryRow) => Change): ChangedAgent {
    const before = this.registered(entity, rid);
    const row = { ...before, ...edit(before) };
    const isDifferent = differs(before, row);
    if (isDifferent) this.store.put(row);
    else if (row.last_seen_ms !== null && row.last_seen_ms !== before.last_seen_ms)
      this.store.putSeen(before.seq, row.last_seen_ms);
    return { row, isDifferent, unbound: null };
  }

  private bindKey(rid: string, pubkey: string, command: Command): ChangedAgent {
    const { agent_id } = this.registered(command.entity, rid);
    const holder = this.store.findByBoundKey(pubkey);
    const previous = holder && holder.agent_id !== agent_id ? holder : undefined;
    if (previous) this.store.put({ ...previous, pubkey: null, is_verified: false });
    const changed = this.change(rid, command, () => ({ pubkey, is_verified: true }));
    return { ...changed, unbound: previous?.agent_id ?? null };
  }

  private deregister(rid: string, { entity }: Command): RemovedAgent {
    const { seq, agent_id, catalog } = this.registered(entity, rid);
    if (catalog) this.store.put(createStub(catalog));
    else this.store.drop(seq);
    return { agent_id, stub: catalog?.agent_id ?? null };
  }

  private importEntries(entries: ImportEntries['entries']): ImportedEntries {
    const imported: ImportedEntries = { added: 0, updated: 0, touched: [], full: [] };
    let rows = this.store.count();
    for (const { index, entry } of entries) {
      const row = this.store.find(entry.agent_id);
      if (!row && rows >= REGISTRATIONS_MAX) {
        imported.full.push(index);
        continue;
      }
      this.store.put(row && row.rid !== null ? { ...row, catalog: entry } : createStub(entry));
      if (row) imported.updated += 1;
      else imported.added += 1;
      rows += row ? 0 : 1;
      imported.touched.push(row && row.rid !== null ? row.agent_id : entry.agent_id);
    }
    return imported;
  }

  private listHolders(pubkey: string): string[] {
    const holder = this.store.findByBoundKey(pubkey);
    return holder ? [holder.agent_id] : [];
  }

  /** The row of a registration. Throws `not_found` when that registration has ended. */
  private registered(agentId: string, rid: string): RegistryRow {
    this.requireRegistration(agentId, rid);
    return this.store.find(agentId) as RegistryRow;
  }

  private requireRegistration(agentId: string, rid: string) {
    const row = this.store.findStanding(agentId);
    if (!row || row.rid !== rid) throw new MeshError('not_found', 'This registration is over: register again.');
    return row;
  }
}
