import {
  BindAgentKey,
  ChangeAgent,
  ImportEntries,
  OfRegistration,
  RegisterAgent,
  SetAgentState,
} from '../../contract/commands/registry.js';
import { SeenAgents } from '../../contract/commands/seen.js';
import { REGISTRATIONS_MAX } from '../../contract/network/agents.js';
import { agentKey } from '../../lib/agents/agent-id.js';
import { MeshError } from '../../lib/errors.js';
import { type CommandKind, commandKind, type Ownership } from '../../shared-log/command-kinds.js';
import type { Command } from '../../shared-log/shared-log.js';
import type { Owned } from '../../shared-log/shared-tables.js';
import { differs } from './agent-profile.js';
import type { RegistryRow, RegistryStore } from './registry-store.js';
import { createStub } from './registry-stub.js';

/** When an agent was last seen, in milliseconds since 1970. */
export interface SeenAgent {
  agent_id: string;
  ms: number;
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
  seq: number;
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

/** Returns the row with a change that an agent makes to its own. */
export type Edit = (row: RegistryRow) => RegistryRow;

/** Replaces the named fields. */
export const editProfile =
  (profile: ChangeAgent['profile']): Edit =>
  (row) => ({ ...row, ...profile });

/** Merges the availability into the card. */
export const editState =
  (availability: SetAgentState['availability']): Edit =>
  (row) => ({ ...row, agent_card: { ...row.agent_card, availability }, avail_status: null });

/** The registration of an agent as the daemons of a network own it. */
export const toAgent = (id: string): Owned => ({ area: 'registry', id: agentKey(id) });
const toOwned = ({ agent_id }: { agent_id: string }) => toAgent(agent_id);
const toCatalogEntry = ({ entry }: ImportEntries['entries'][number]): Owned => ({
  area: 'catalog',
  id: agentKey(entry.agent_id),
});
/** Only the daemon that registered an agent changes it. */
const OWN_AGENT: Ownership = { requires: (_: unknown, { entity }: Command) => [toAgent(entity)] };

/** The kinds of commands that change the directory, over its table. */
export class RegistryCommands {
  /** `gone` is called with the id of an agent that a command has removed, to delete what else is about it. */
  constructor(
    private readonly store: RegistryStore,
    private readonly gone: (agentId: string) => void = () => undefined,
  ) {}

  get kinds(): Readonly<Record<string, CommandKind>> {
    return {
      'registry.register': commandKind(RegisterAgent, (body, command) => this.register(body, command), {
        takes: (_, { entity }) => [toAgent(entity)],
      }),
      'registry.seen': commandKind(SeenAgents, ({ seen }, command) => this.see(seen, command), {
        requires: ({ seen }) => seen.flatMap(({ agent }) => this.store.findRegistration(agent) ?? []).map(toOwned),
      }),
      'registry.change': commandKind(
        ChangeAgent,
        ({ rid, profile }, command) => this.change(rid, command, editProfile(profile)),
        OWN_AGENT,
      ),
      'registry.set-state': commandKind(
        SetAgentState,
        ({ rid, availability }, command) => this.change(rid, command, editState(availability)),
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

  /** Returns those that are registered still. Nobody has been seen after it was said. */
  private see(seen: SeenAgents['seen'], { at }: Command): SeenAgent[] {
    return seen.flatMap(({ agent, ms: notedMs }) => {
      const registration = this.store.findRegistration(agent);
      if (!registration) return [];
      const ms = Math.min(notedMs, at);
      this.store.putSeen(agent, ms);
      return { agent_id: registration.agent_id, ms, isAway: registration.is_away === 1 };
    });
  }

  private change(rid: string, { entity }: Command, edit: Edit): ChangedAgent {
    const before = this.registered(entity, rid);
    const row = edit(before);
    const isDifferent = differs(before, row);
    if (isDifferent) this.store.put(row);
    return { row, isDifferent, unbound: null };
  }

  private bindKey(rid: string, pubkey: string, command: Command): ChangedAgent {
    const { agent_id } = this.registered(command.entity, rid);
    const holder = this.store.findByBoundKey(pubkey);
    const previous = holder && holder.agent_id !== agent_id ? holder : undefined;
    if (previous) this.store.put({ ...previous, pubkey: null, is_verified: false });
    const changed = this.change(rid, command, (row) => ({ ...row, pubkey, is_verified: true }));
    return { ...changed, unbound: previous?.agent_id ?? null };
  }

  private deregister(rid: string, { entity }: Command): RemovedAgent {
    const { seq, agent_id, catalog } = this.registered(entity, rid);
    if (catalog) this.store.put(createStub(catalog));
    else this.store.drop(seq);
    this.gone(agent_id);
    return { agent_id, seq, stub: catalog?.agent_id ?? null };
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
    const row = this.store.find(agentId);
    if (!row || row.rid !== rid) throw registrationOver();
    return row;
  }
}

export const registrationOver = () => new MeshError('not_found', 'This registration is over: register again.');
