import { randomBytes, timingSafeEqual } from 'node:crypto';
import {
  type AgentDeleted,
  ONLINE_SECONDS,
  REGISTRATIONS_MAX,
  type StateBody,
  type TokenBody,
  type TokenResult,
} from '../../contract/agents.js';
import { LIST_LIMIT_DEFAULT } from '../../contract/limits.js';
import type {
  HeartbeatBody,
  HeartbeatResult,
  RegistryList,
  RegistryPatchBody,
  RegistryQuery,
  RegistryRecord,
  RegistryRegisterBody,
  RegistryRegistration,
} from '../../contract/registry.js';
import type { Bus } from '../../events/bus.js';
import { checkAgentId } from '../../lib/agent-id.js';
import type { AgentClaims, AgentTokens } from '../../lib/agent-token.js';
import type { Clock } from '../../lib/clock.js';
import { sha256 } from '../../lib/digests.js';
import { MeshError } from '../../lib/errors.js';
import { OnlineWatch } from './online-watch.js';
import type { RegistryRow, RegistryStore, StandingRow } from './registry-store.js';
import { stubOf } from './registry-stub.js';
import { recordOf } from './registry-view.js';
import { checkedParts, differs } from './said-of-itself.js';

/** Which registration acts: what its token says of it. */
export type Registrant = Pick<AgentClaims, 'agent_id' | 'rid'>;

type Change = Partial<Omit<RegistryRow, 'seq' | 'agent_id' | 'rid' | 'api_key_hash'>>;
type Listener = (agentId: string) => void;
type RemovedListener = (agentId: string) => void | Promise<void>;

const SURFACE = 'v1';

/**
 * The unified API: a directory of agents with a store, a key and tokens of its own; nothing that happens on the hub is seen here, nor the reverse.
 * An agent may sit on top of a catalog entry, which outlives it. A token acts only for the registration it was minted for: whatever is asked with
 * one whose registration is over is `not_found`, so that an id that was registered anew never obeys its old owner.
 * Spec: What the service does, 4; Agent › States; Catalog row.
 */
export class Registry {
  private readonly watch: OnlineWatch;
  private readonly changedListeners: Listener[] = [];
  private readonly removedListeners: RemovedListener[] = [];
  private readonly nobody = randomBytes(32);

  constructor(
    private readonly store: RegistryStore,
    private readonly tokens: AgentTokens,
    private readonly bus: Bus,
    private readonly clock: Clock,
    private readonly baseUrl: () => string,
  ) {
    this.watch = new OnlineWatch(clock, (agent_id, isOnline) => {
      this.bus.publish(isOnline ? 'agent.online' : 'agent.offline', { agent_id, surface: SURFACE });
      this.changed(agent_id);
    });
  }

  /** Takes up who was online when the last daemon stopped. */
  start(): void {
    const seen = this.store.listSeenAfter(this.clock.now() - ONLINE_SECONDS * 1000);
    this.watch.resume(seen.filter(({ is_away }) => is_away === 0));
  }

  stop(): void {
    this.watch.stop();
  }

  /**
   * Registers an agent, over a catalog entry of that id if there is one; it is online from now on. The answer is the only one that carries the
   * `api_key`. Throws `agent_id_claimed`, `reserved_agent_id`, `bad_request`, `unknown_card_key`, `plaintext_endpoint`, and `overloaded` when the
   * surface holds all the rows it can. Publishes `agent.registered` and `agent.online`. Spec: Agent › States.
   */
  async register(
    body: RegistryRegisterBody,
    { isPartner }: { isPartner: boolean } = { isPartner: false },
  ): Promise<RegistryRegistration> {
    checkAgentId(body.agent_id, { isPartner });
    const said = checkedParts(body);
    const api_key = randomBytes(16).toString('hex');
    const rid = randomBytes(12).toString('base64url');
    const now = this.clock.now();
    await this.store.write(() => {
      const stub = this.store.find(body.agent_id);
      if (stub && stub.rid !== null) {
        throw new MeshError('agent_id_claimed', `"${stub.agent_id}" is registered already: choose another id.`, {
          details: { path: 'agent_id' },
        });
      }
      if (!stub && this.store.count() >= REGISTRATIONS_MAX) {
        throw new MeshError('overloaded', `The registry holds ${REGISTRATIONS_MAX} agents, which is all it can.`);
      }
      this.store.put({
        agent_id: body.agent_id,
        rid,
        api_key_hash: sha256(api_key),
        description: null,
        capabilities: [],
        endpoint: null,
        agent_card: null,
        pubkey: body.pubkey ?? null,
        is_verified: false,
        avail_status: null,
        registered_ms: now,
        last_seen_ms: now,
        catalog: stub?.catalog ?? null,
        ...said,
      });
    });
    this.bus.publish('agent.registered', { agent_id: body.agent_id, surface: SURFACE });
    this.watch.note(body.agent_id, now, said.agent_card?.availability?.now === false);
    this.changed(body.agent_id);
    const { token } = this.tokens.mint(body.agent_id, rid);
    const message = `Welcome, ${body.agent_id}. Keep the api_key: it is shown once. Send a heartbeat at least every ${ONLINE_SECONDS} seconds.`;
    return { agent_id: body.agent_id, api_key, token, base_url: this.baseUrl(), message };
  }

  /**
   * A fresh token for the holder of the `api_key`, and a sign of life. Throws `unauthorized` for a wrong pair, the same for an id that is not
   * registered, so that ids cannot be probed. Spec: Agent › States; Authentication.
   */
  async token({ agent_id, api_key }: TokenBody): Promise<TokenResult> {
    const now = this.clock.now();
    const given = sha256(api_key);
    const row = await this.store.write(() => {
      const standing = this.store.findStanding(agent_id);
      const isRight = timingSafeEqual(given, standing?.api_key_hash ?? this.nobody);
      if (!isRight || !standing || standing.rid === null)
        throw new MeshError('unauthorized', 'This pair of agent_id and api_key is not valid here.');
      this.store.putSeen(standing.seq, now);
      return { ...standing, rid: standing.rid };
    });
    this.watch.note(row.agent_id, now, row.is_away === 1);
    return { ...this.tokens.mint(row.agent_id, row.rid), agent_id: row.agent_id };
  }

  /** Whom a token speaks for. Throws `unauthorized` for anything that this surface did not mint or that is over; whether its registration stands is asked by what it does. */
  authenticate(token: string): Promise<AgentClaims> {
    return this.tokens.read(token);
  }

  /** As `authenticate`, at once: undefined for a token that has to be verified first. */
  recognize(token: string): AgentClaims | undefined {
    return this.tokens.known(token);
  }

  /**
   * A sign of life, with what has changed at the agent. Throws `not_found` after deregistration, and as `update` for what it carries. `live` is
   * false only for an agent that has set itself away. Publishes `agent.online`, `agent.updated` where that is so. Spec: Endpoints › Unified API.
   */
  async heartbeat(registrant: Registrant, body: HeartbeatBody = {}): Promise<HeartbeatResult> {
    const said = checkedParts(body);
    const now = this.clock.now();
    if (Object.keys(said).length > 0) {
      const row = await this.change(registrant, () => ({ ...said, last_seen_ms: now }));
      return beat(row.agent_id, row.agent_card?.availability?.now !== false, now);
    }
    const row = await this.store.write(() => {
      const standing = this.standing(registrant);
      this.store.putSeen(standing.seq, now);
      return standing;
    });
    this.watch.note(row.agent_id, now, row.is_away === 1);
    return beat(row.agent_id, row.is_away === 0, now);
  }

  /**
   * Changes what the body names and leaves the rest; the card is replaced whole. Throws `not_found` after deregistration, `unknown_card_key`,
   * `plaintext_endpoint`, `bad_request`. Publishes `agent.updated` when something is different.
   */
  async update(registrant: Registrant, body: RegistryPatchBody): Promise<RegistryRecord> {
    const said = {
      ...checkedParts(body),
      ...(body.avail_status === undefined ? {} : { avail_status: body.avail_status }),
    };
    return this.view(await this.change(registrant, () => said));
  }

  /**
   * Merges the availability into the stored card, whose other keys stay; from now on `avail_status` follows it. Throws `not_found` after
   * deregistration. Publishes `agent.online`, `agent.offline`, `agent.updated` where that is so.
   */
  async setState(registrant: Registrant, { availability }: StateBody): Promise<RegistryRecord> {
    return this.view(
      await this.change(registrant, ({ agent_card }) => ({
        agent_card: { ...agent_card, availability },
        avail_status: null,
      })),
    );
  }

  /**
   * Binds a key, whose holder has signed for it, to the agent: `verified` from now on. A key is bound to one agent: it leaves the one that had it.
   * Throws `not_found` after deregistration. Publishes `agent.updated`. Contract: Unified API.
   */
  async bindKey(registrant: Registrant, pubkey: string): Promise<RegistryRecord> {
    let left: RegistryRow | undefined;
    const row = await this.change(registrant, ({ agent_id }) => {
      const holder = this.store.findByBoundKey(pubkey);
      if (holder && holder.agent_id !== agent_id) {
        left = holder;
        this.store.put({ ...holder, pubkey: null, is_verified: false });
      }
      return { pubkey, is_verified: true };
    });
    if (left) this.tellUpdated(left.agent_id);
    return this.view(row);
  }

  /**
   * Takes the agent out of the directory: the row of one that registered itself is deleted, one on a catalog entry becomes that entry's stub again.
   * Throws `not_found` when it is not registered any more. Publishes `agent.deregistered`. Spec: Agent › States.
   */
  async deregister(registrant: Registrant): Promise<AgentDeleted> {
    const row = await this.store.write(() => {
      const found = this.registered(registrant);
      if (found.catalog) this.store.put(stubOf(found.catalog));
      else this.store.drop(found.seq);
      return found;
    });
    this.watch.forget(row.agent_id);
    await Promise.all(this.removedListeners.map((listener) => listener(row.agent_id)));
    if (row.catalog) this.changed(row.catalog.agent_id);
    this.bus.publish('agent.deregistered', { agent_id: row.agent_id, surface: SURFACE });
    return { status: 'deleted', agent_id: row.agent_id };
  }

  /** The agent's record, or undefined; a catalog-only stub has `registered: false`. Ids are the same whatever their case. */
  find(agentId: string): RegistryRecord | undefined {
    const row = this.store.find(agentId);
    return row && this.view(row);
  }

  /** As `find`. Throws `not_found`. */
  get(agentId: string): RegistryRecord {
    const record = this.find(agentId);
    if (!record) throw new MeshError('not_found', 'There is no such agent in this directory.');
    return record;
  }

  /** A page of the directory, in the order in which agents came. Throws `bad_request` for a cursor that is none. */
  list({ live, registered, q, limit = LIST_LIMIT_DEFAULT, cursor }: RegistryQuery): RegistryList {
    const afterSeq = cursor === undefined ? 0 : placeOf(cursor);
    const seenAfterMs = live === true ? this.clock.now() - ONLINE_SECONDS * 1000 : undefined;
    const words = q === undefined || q.trim() === '' ? undefined : q;
    const rows = this.store.list({ seenAfterMs, registered, words, afterSeq, limit: limit + 1 });
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const next_cursor = rows.length > limit && last ? String(last.seq) : null;
    return { agents: page.map((row) => this.view(row)), count: page.length, next_cursor };
  }

  /** Whether the agent of a record is registered and online now. Cheap. */
  isLive(agentId: string): boolean {
    return this.watch.onlineUntilMs(agentId) > 0;
  }

  /** When the agent stops being live unless it is heard of again, in epoch milliseconds; 0 when it is not live. Cheap. */
  liveUntilMs(agentId: string): number {
    return this.watch.onlineUntilMs(agentId);
  }

  /** Every record, catalog-only stubs with `registered: false` among them; read in pages, so that a slow walk holds nobody up. */
  *all(): Generator<RegistryRecord> {
    for (const row of this.store.all()) yield this.view(row);
  }

  /** The id of the registered agent to which `pubkey` (standard base64) is bound. */
  agentOfKey(pubkey: string): string | undefined {
    return this.store.findByBoundKey(pubkey)?.agent_id;
  }

  /** `listener` hears the id of each agent or stub whose record is different now, coming online and going offline included; not of heartbeats as such. */
  onChanged(listener: Listener): void {
    this.changedListeners.push(listener);
  }

  /** `listener` hears the id of each agent that was deregistered, before anybody else is told and the deletion is answered; a stub that stays is a change after that. */
  onRemoved(listener: RemovedListener): void {
    this.removedListeners.push(listener);
  }

  /** To be called when a row was changed by the catalog. */
  changed(agentId: string): void {
    for (const listener of this.changedListeners) listener(agentId);
  }

  /** Writes what `edit` makes of the row and tells what is different. */
  private async change(registrant: Registrant, edit: (row: RegistryRow) => Change): Promise<RegistryRow> {
    const { before, after } = await this.store.write(() => {
      const row = this.registered(registrant);
      const next = { ...row, ...edit(row) };
      if (differs(row, next)) this.store.put(next);
      else if (next.last_seen_ms !== null && next.last_seen_ms !== row.last_seen_ms)
        this.store.putSeen(row.seq, next.last_seen_ms);
      return { before: row, after: next };
    });
    const { agent_id, last_seen_ms, agent_card } = after;
    if (differs(before, after)) this.tellUpdated(agent_id);
    if (last_seen_ms !== null && this.clock.now() - last_seen_ms < ONLINE_SECONDS * 1000) {
      this.watch.note(agent_id, last_seen_ms, agent_card?.availability?.now === false);
    }
    return after;
  }

  private tellUpdated(agentId: string): void {
    this.bus.publish('agent.updated', { agent_id: agentId, surface: SURFACE });
    this.changed(agentId);
  }

  /** The row of a registration that stands. */
  private registered(registrant: Registrant): RegistryRow {
    this.standing(registrant);
    return this.store.find(registrant.agent_id) as RegistryRow;
  }

  private standing({ agent_id, rid }: Registrant): StandingRow {
    const row = this.store.findStanding(agent_id);
    if (!row || row.rid !== rid) throw new MeshError('not_found', 'This registration is over: register again.');
    return row;
  }

  private view(row: RegistryRow): RegistryRecord {
    return recordOf(row, this.clock.now());
  }
}

function beat(agent_id: string, live: boolean, nowMs: number): HeartbeatResult {
  return { status: 'ok', agent_id, live, next_heartbeat_before: Math.floor(nowMs / 1000) + ONLINE_SECONDS };
}

function placeOf(cursor: string): number {
  if (!/^\d{1,15}$/.test(cursor)) {
    throw new MeshError('bad_request', '"cursor" must be the next_cursor of an earlier page.', {
      details: { path: 'cursor' },
    });
  }
  return Number(cursor);
}
