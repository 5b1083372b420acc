import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import {
  type AgentDeleted,
  REGISTRATIONS_MAX,
  type StateBody,
  type TokenBody,
  type TokenResult,
} from '../../contract/agents.js';
import type {
  AgentRecord,
  AgentsQuery,
  AgentUpdated,
  PatchAgentBody,
  RegisterBody,
  Registration,
} from '../../contract/hub.js';
import { LIST_LIMIT_DEFAULT } from '../../contract/limits.js';
import type { Bus } from '../../events/bus.js';
import { agentKey, checkAgentId } from '../../lib/agent-id.js';
import type { AgentClaims, AgentTokens } from '../../lib/agent-token.js';
import type { Clock } from '../../lib/clock.js';
import { sha256 } from '../../lib/digests.js';
import { MeshError } from '../../lib/errors.js';
import { checkedCard } from '../../lib/tier1-card.js';
import { asRecord, type HubAgent } from './hub-agent.js';
import { seqOfCursor } from './hub-cursor.js';
import { type HubCaller, type HubDirectory, notRegistered, registrationOver, type Standing } from './hub-directory.js';
import type { AgentRow, HubStore } from './hub-store.js';

type Listener = (agentId: string) => void;
type RemovedListener = (agentId: string) => void | Promise<void>;

export interface HubParts {
  store: HubStore;
  directory: HubDirectory;
  tokens: AgentTokens;
  bus: Bus;
  clock: Clock;
  /** This hub's own address. */
  hubUrl: () => string;
}

const SURFACE = 'hub';
/** Compared with when the id is unknown, so that the answer takes as long. */
const NOBODYS_KEY = randomBytes(32);

/**
 * The canonical catalog of agents: registration, tokens, heartbeats, lookup and deregistration. It hosts no agent and shares nothing with the unified
 * API. A token acts only for the registration that it was minted for: one of a registration that is over is `unauthorized`, whoever has the id now.
 * Spec: What the service does, 1; Agent › States.
 */
export class Hub {
  private readonly changedListeners: Listener[] = [];
  private readonly removedListeners: RemovedListener[] = [];

  constructor(private readonly parts: HubParts) {
    parts.directory.onPresence((agent_id, isOnline) => {
      parts.bus.publish(isOnline ? 'agent.online' : 'agent.offline', { agent_id, surface: SURFACE });
      this.changed(agent_id);
    });
  }

  /** Told after an agent was registered, said something new of itself, came online or went offline; not of mere heartbeats. */
  onChanged(listener: Listener): void {
    this.changedListeners.push(listener);
  }

  /** Told once an agent's registration is gone for good; the deletion is answered when all have let go of it. */
  onRemoved(listener: RemovedListener): void {
    this.removedListeners.push(listener);
  }

  /**
   * Registers an agent, first come, first served; it is online from now on. The answer is the only one that carries the `api_key`. One that a partner
   * registers is `verified`. Throws `agent_id_claimed`, `reserved_agent_id`, `bad_request`, `unknown_card_key`, `plaintext_endpoint`, and `overloaded`
   * when the hub holds all the agents it can. Publishes `agent.registered` and `agent.online`. Spec: Agent › States; Registration result.
   */
  async register(
    body: RegisterBody,
    { isPartner }: { isPartner: boolean } = { isPartner: false },
  ): Promise<Registration> {
    const { store, directory, bus } = this.parts;
    checkAgentId(body.agent_id, { isPartner });
    const card = body.agent_card === undefined ? null : checkedCard(body.agent_card);
    const api_key = randomBytes(16).toString('hex');
    const rid = randomUUID();
    const nowMs = this.parts.clock.now();
    const { agent_id, capabilities } = body;
    const seq = await store.write(() => {
      if (directory.size >= REGISTRATIONS_MAX) {
        throw new MeshError('overloaded', `The hub holds ${REGISTRATIONS_MAX} agents, which is all it can.`);
      }
      const inserted = store.insert({
        key: agentKey(agent_id),
        agent_id,
        rid,
        apiKeySha256: sha256(api_key),
        description: body.description ?? null,
        capabilities,
        card,
        isVerified: isPartner,
        registeredMs: nowMs,
      });
      if (inserted === undefined) {
        throw new MeshError('agent_id_claimed', `"${agent_id}" is registered already: choose another id.`, {
          details: { path: 'agent_id' },
        });
      }
      return inserted;
    });
    bus.publish('agent.registered', { agent_id, surface: SURFACE });
    const standing = { seq, agent_id, rid, lastSeenMs: nowMs, isAway: card?.availability?.now === false };
    directory.add(standing);
    // One that is away comes online for nobody, so that nothing was told of it yet.
    if (standing.isAway) this.changed(agent_id);
    const message = `Welcome, ${agent_id}. Keep the api_key: it is shown once. Send a heartbeat about every 5 minutes.`;
    return {
      agent_id,
      api_key,
      token: this.parts.tokens.mint(agent_id, rid).token,
      hub_url: this.parts.hubUrl(),
      message,
    };
  }

  /**
   * Marks the agent online and returns a fresh 24 h token. Throws `unauthorized` when the key does not match (the same for an unknown id, so that ids
   * cannot be probed). Safe to repeat. Spec: Agent › States.
   */
  async token({ agent_id, api_key }: TokenBody): Promise<TokenResult> {
    const { store, directory, tokens } = this.parts;
    const standing = directory.find(agent_id);
    const digest = (standing && store.findKeyDigest(standing.seq)) ?? NOBODYS_KEY;
    if (!timingSafeEqual(sha256(api_key), digest) || !standing) {
      throw new MeshError('unauthorized', 'This pair of agent_id and api_key is not valid here.');
    }
    directory.touch(standing);
    return { ...tokens.mint(standing.agent_id, standing.rid), agent_id: standing.agent_id };
  }

  /** Whom a token speaks for. Throws `unauthorized` for anything that this hub did not mint, that is over, or whose registration is. */
  async authenticate(token: string): Promise<AgentClaims> {
    return this.standing(await this.parts.tokens.read(token));
  }

  /** As `authenticate`, at once: undefined for a token that has to be verified first. */
  recognize(token: string): AgentClaims | undefined {
    const claims = this.parts.tokens.known(token);
    return claims && this.standing(claims);
  }

  /**
   * A heartbeat: replaces what the body names, the card whole, and leaves the rest. Throws `unauthorized` after deregistration, `unknown_card_key`,
   * `plaintext_endpoint`, `bad_request`. The watermark is not durable at once, what is new is; publishes `agent.updated` when something is.
   * Spec: Endpoints › Hub; Limits.
   */
  async update(caller: HubCaller, body: PatchAgentBody = {}): Promise<AgentUpdated> {
    const { directory } = this.parts;
    const standing = directory.of(caller);
    const card = body.agent_card === undefined ? undefined : checkedCard(body.agent_card);
    const row = await this.change(standing, (now) => ({
      description: body.description ?? now.description,
      capabilities: body.capabilities ?? now.capabilities,
      card: card ?? now.card,
    }));
    directory.touch(standing);
    return this.updated(standing, row);
  }

  /**
   * Merges the availability into the stored card, whose other keys stay. No heartbeat: one that fell silent stays offline. Throws `unauthorized` after
   * deregistration. Publishes `agent.online`, `agent.offline`, `agent.updated` where that is so. Spec: Endpoints › Hub.
   */
  async setState(caller: HubCaller, { availability }: StateBody): Promise<AgentUpdated> {
    const standing = this.parts.directory.of(caller);
    const row = await this.change(standing, ({ description, capabilities, card }) => ({
      description,
      capabilities,
      card: { ...card, availability },
    }));
    return this.updated(standing, row);
  }

  find(agentId: string): HubAgent | undefined {
    const standing = this.parts.directory.find(agentId);
    const row = standing && this.parts.store.find(standing.seq);
    return row && { ...row, lastSeenMs: standing.lastSeenMs };
  }

  /** The lookup record. Throws `not_found`. Spec: Agent lookup record. */
  get(agentId: string): AgentRecord {
    const agent = this.find(agentId);
    if (!agent) throw notRegistered();
    return asRecord(agent, this.parts.clock.now());
  }

  /** Whether the agent is registered and online now. Cheap. */
  isOnline(agentId: string): boolean {
    const standing = this.parts.directory.find(agentId);
    return standing !== undefined && this.parts.directory.isOnline(standing);
  }

  /**
   * A page of agents by registration, oldest first: those online, or all. `next` is the cursor of the page after it. Throws `bad_request` for a
   * cursor that is none.
   */
  list({ all, capability, q, limit = LIST_LIMIT_DEFAULT, cursor }: AgentsQuery): {
    agents: AgentRecord[];
    next: string | undefined;
  } {
    const { store, directory } = this.parts;
    const found: Standing[] = [];
    for (const key of store.keys(seqOfCursor(cursor), capability, q?.trim().toLowerCase() || undefined)) {
      const standing = directory.find(key);
      if (!standing || (all !== true && !directory.isOnline(standing))) continue;
      if (found.length === limit) return { agents: this.records(found), next: String((found.at(-1) as Standing).seq) };
      found.push(standing);
    }
    return { agents: this.records(found), next: undefined };
  }

  /** Ids of all that are registered. */
  *ids(): Iterable<string> {
    for (const { agent_id } of this.parts.directory.all()) yield agent_id;
  }

  /** Every registered agent, read a few hundred at a time; one that comes or goes meanwhile may be missed or met. */
  *all(): Iterable<HubAgent> {
    for (const row of this.parts.store.agents()) {
      const standing = this.parts.directory.find(row.agent_id);
      if (standing) yield { ...row, lastSeenMs: standing.lastSeenMs };
    }
  }

  /**
   * Deletes the registration and all that refers to it (polling, inbox, message log, channel memberships, contacts) at once; every token of it is dead
   * from then on, over restarts too. Throws `unauthorized` when it is over already. Publishes `agent.deregistered`. Spec: Agent › States.
   */
  async deregister(caller: HubCaller): Promise<AgentDeleted> {
    const { store, directory, bus } = this.parts;
    const standing = directory.of(caller);
    await store.write(() => {
      if (!store.remove(standing.seq)) throw registrationOver();
    });
    directory.remove(standing);
    const lettingGo = this.removedListeners.map((listener) => listener(standing.agent_id));
    // Before anybody waits: whoever registers the id meanwhile is told of after this.
    bus.publish('agent.deregistered', { agent_id: standing.agent_id, surface: SURFACE });
    await Promise.all(lettingGo);
    return { status: 'deleted', agent_id: standing.agent_id };
  }

  /** Writes what `next` makes of the row, if it makes anything new of it. */
  private async change(
    standing: Standing,
    next: (row: AgentRow) => Pick<AgentRow, 'description' | 'capabilities' | 'card'>,
  ): Promise<AgentRow> {
    const { store, directory, bus } = this.parts;
    const before = store.find(standing.seq);
    // The usual heartbeat says what is known: nothing has to reach the disk for it.
    if (before && isSame(before, next(before))) return before;
    const row = await store.write(() => {
      const current = store.find(standing.seq);
      if (!current) throw registrationOver();
      const changed = { ...current, ...next(current) };
      store.put(changed);
      return changed;
    });
    directory.setAway(standing, row.card?.availability?.now === false);
    bus.publish('agent.updated', { agent_id: standing.agent_id, surface: SURFACE });
    this.changed(standing.agent_id);
    return row;
  }

  private updated(standing: Standing, row: AgentRow): AgentUpdated {
    return {
      status: 'ok',
      agent_id: standing.agent_id,
      online: this.parts.directory.isOnline(standing),
      agent_card: row.card,
    };
  }

  private records(standings: readonly Standing[]): AgentRecord[] {
    return standings.map(({ agent_id }) => this.get(agent_id));
  }

  private changed(agentId: string): void {
    for (const listener of this.changedListeners) listener(agentId);
  }

  /** `claims`, while their registration is in force. */
  private standing(claims: AgentClaims): AgentClaims {
    this.parts.directory.of(claims);
    return claims;
  }
}

const isSame = (
  row: AgentRow,
  { description, capabilities, card }: Pick<AgentRow, 'description' | 'capabilities' | 'card'>,
) =>
  row.description === description &&
  (row.card === card || JSON.stringify(row.card) === JSON.stringify(card)) &&
  (row.capabilities === capabilities || JSON.stringify(row.capabilities) === JSON.stringify(capabilities));
