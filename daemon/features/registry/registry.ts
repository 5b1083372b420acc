import { randomBytes, timingSafeEqual } from 'node:crypto';
import type {
  BindAgentKey,
  ChangeAgent,
  OfRegistration,
  RegisterAgent,
  SetAgentState,
} from '../../contract/commands/registry.js';
import { LIST_LIMIT_DEFAULT } from '../../contract/limits.js';
import {
  type AgentDeleted,
  HEARTBEAT_SECONDS,
  ONLINE_SECONDS,
  type StateBody,
  type TokenBody,
  type TokenResult,
} from '../../contract/network/agents.js';
import type {
  HeartbeatBody,
  HeartbeatResult,
  RegistryList,
  RegistryPatchBody,
  RegistryQuery,
  RegistryRecord,
  RegistryRegisterBody,
  RegistryRegistration,
} from '../../contract/network/registry.js';
import type { Bus } from '../../events/bus.js';
import { checkAgentId } from '../../lib/agents/agent-id.js';
import type { AgentClaims, AgentTokens } from '../../lib/crypto/agent-token.js';
import { sha256 } from '../../lib/crypto/digests.js';
import { MeshError } from '../../lib/errors.js';
import type { Clock } from '../../lib/time/clock.js';
import type { SharedChanges } from '../../shared-log/command-kinds.js';
import { SignsOfLife } from '../../shared-log/signs-of-life.js';
import { checkProfile, differs } from './agent-profile.js';
import { OnlineWatch } from './online-watch.js';
import {
  type ChangedAgent,
  type Edit,
  editProfile,
  editState,
  type ImportedEntries,
  RegistryCommands,
  type RemovedAgent,
  registrationOver,
  type SeenAgent,
  toAgent,
} from './registry-commands.js';
import type { RegistrationRow, RegistryRow, RegistryStore } from './registry-store.js';
import { toRegistryRecord } from './registry-view.js';

/** The registration that acts, as its token claims it. */
type Registrant = Pick<AgentClaims, 'agent_id' | 'rid'>;

type Listener = (agentId: string) => void;
type RemovedListener = (agentId: string) => void | Promise<void>;

const SURFACE = 'v1';

/**
 * The unified API: a directory of agents with its own store, keys and tokens, fully separate from the hub. An agent may
 * register on top of a catalog entry, which outlives it. A token acts only for the registration it was minted for. A
 * call with the token of an ended registration throws `not_found`, so the former owner of an id that was registered
 * again has no access to it. Signs of life are noted in memory and shared within a minute; what is answered here knows
 * them at once. Spec: What the service does, 4; Agent › States; Catalog row.
 */
export class Registry {
  private readonly watch: OnlineWatch;
  private readonly signs: SignsOfLife;
  private readonly changedListeners: Listener[] = [];
  private readonly removedListeners: RemovedListener[] = [];
  private readonly nobody = randomBytes(32);

  constructor(
    private readonly store: RegistryStore,
    private readonly shared: SharedChanges,
    private readonly tokens: AgentTokens,
    private readonly bus: Bus,
    private readonly clock: Clock,
    private readonly baseUrl: () => string,
    gone?: (agentId: string) => void,
  ) {
    this.watch = new OnlineWatch(clock, (agent_id, isOnline) => {
      this.bus.publish(isOnline ? 'agent.online' : 'agent.offline', { agent_id, surface: SURFACE });
      this.changed(agent_id);
    });
    this.signs = new SignsOfLife('registry.seen', shared.log, clock);
    shared.kinds.define(new RegistryCommands(store, gone).kinds);
    this.follow(shared);
  }

  /** Restores the agents that were online when the previous daemon process stopped. */
  start(): void {
    this.resumeWatch();
    this.signs.start();
  }

  /** Writes the signs of life that are noted. */
  async stop(): Promise<void> {
    this.watch.stop();
    await this.signs.stop();
  }

  /**
   * Registers an agent, on top of a catalog entry with that id if there is one, and marks it online. The result is the
   * only one that carries the `api_key`. Throws `agent_id_claimed`, `reserved_agent_id`, `bad_request`,
   * `unknown_card_key`, `plaintext_endpoint`, and `overloaded` when the directory has reached its maximum number of
   * rows. Publishes `agent.registered` and `agent.online`. Spec: Agent › States.
   */
  async register(
    body: RegistryRegisterBody,
    { isPartner }: { isPartner: boolean } = { isPartner: false },
  ): Promise<RegistryRegistration> {
    checkAgentId(body.agent_id, { isPartner });
    const profile = checkProfile(body);
    const api_key = randomBytes(16).toString('hex');
    const rid = randomBytes(12).toString('base64url');
    await this.submit<void, RegisterAgent>('register', body.agent_id, {
      rid,
      api_key_sha256: sha256(api_key).toString('base64url'),
      pubkey: body.pubkey ?? null,
      profile,
    });
    const { token } = this.tokens.mint(body.agent_id, rid);
    const message =
      `Welcome, ${body.agent_id}. Keep the api_key: it is shown once. Send a heartbeat at least every ` +
      `${HEARTBEAT_SECONDS} seconds.`;
    return { agent_id: body.agent_id, api_key, token, base_url: this.baseUrl(), message };
  }

  /**
   * Returns a new token for the holder of the `api_key` and records a sign of life. Throws `unauthorized` for a wrong
   * pair and, to prevent probing of ids, for an id that is not registered. Spec: Agent › States; Authentication.
   */
  async token({ agent_id, api_key }: TokenBody): Promise<TokenResult> {
    const registration = this.store.findStanding(agent_id);
    const isRight = timingSafeEqual(sha256(api_key), registration?.api_key_hash ?? this.nobody);
    if (!isRight || !registration || registration.rid === null)
      throw new MeshError('unauthorized', 'This pair of agent_id and api_key is not valid here.');
    this.shared.owners.requireOwn(toAgent(agent_id));
    this.see(registration);
    return { ...this.tokens.mint(registration.agent_id, registration.rid), agent_id: registration.agent_id };
  }

  /**
   * Returns the claims of a token. Throws `unauthorized` for a token that this surface did not mint or that has
   * expired. Whether the registration still exists is checked by each operation.
   */
  authenticate(token: string): Promise<AgentClaims> {
    return this.tokens.read(token);
  }

  /** The synchronous form of `authenticate`. Returns undefined for a token that must be verified first. */
  recognize(token: string): AgentClaims | undefined {
    return this.tokens.known(token);
  }

  /**
   * Records a sign of life, together with the changes that the body carries, which are durable when it resolves. Throws
   * `not_found` after deregistration, and the errors of `update` for the changes. `live` is false only for an agent
   * that has set itself away. Publishes `agent.online` and `agent.updated` where they apply. Spec: Endpoints › Unified
   * API.
   */
  async heartbeat(registrant: Registrant, body: HeartbeatBody = {}): Promise<HeartbeatResult> {
    const profile = checkProfile(body);
    const now = this.clock.now();
    if (Object.keys(profile).length > 0) await this.change(registrant, 'change', { profile }, editProfile(profile));
    const registration = this.registrationOf(registrant);
    this.see(registration);
    return {
      status: 'ok',
      agent_id: registration.agent_id,
      live: registration.is_away === 0,
      next_heartbeat_before: Math.floor(now / 1000) + HEARTBEAT_SECONDS,
    };
  }

  /**
   * Changes the fields that the body names and keeps the others. The card is replaced as a whole. Throws `not_found`
   * after deregistration, `unknown_card_key`, `plaintext_endpoint`, `bad_request`. Publishes `agent.updated` when a
   * field has changed.
   */
  async update(registrant: Registrant, body: RegistryPatchBody): Promise<RegistryRecord> {
    const profile = {
      ...checkProfile(body),
      ...(body.avail_status === undefined ? {} : { avail_status: body.avail_status }),
    };
    return this.view(await this.change(registrant, 'change', { profile }, editProfile(profile)));
  }

  /**
   * Merges the availability into the stored card and keeps its other keys. `avail_status` is derived from the card
   * again afterwards. Throws `not_found` after deregistration. Publishes `agent.online`, `agent.offline` and
   * `agent.updated` where they apply.
   */
  async setState(registrant: Registrant, { availability }: StateBody): Promise<RegistryRecord> {
    return this.view(await this.change(registrant, 'set-state', { availability }, editState(availability)));
  }

  /**
   * Binds a key to the agent, which makes it `verified`. The caller has checked a signature by that key. A key is bound
   * to one agent at most: binding removes it from the previous one. Throws `not_found` after deregistration. Publishes
   * `agent.updated`. Contract: Unified API.
   */
  async bindKey(registrant: Registrant, pubkey: string): Promise<RegistryRecord> {
    const { agent_id, rid } = registrant;
    return this.view((await this.submit<ChangedAgent, BindAgentKey>('bind-key', agent_id, { rid, pubkey })).row);
  }

  /**
   * Removes the agent from the directory. The row of an agent without a catalog entry is deleted; an agent with one
   * reverts to the stub of that entry. Throws `not_found` when it is not registered. Publishes `agent.deregistered`.
   * Spec: Agent › States.
   */
  async deregister(registrant: Registrant): Promise<AgentDeleted> {
    const { agent_id, rid } = registrant;
    const removed = await this.submit<RemovedAgent, OfRegistration>('deregister', agent_id, { rid });
    return { status: 'deleted', agent_id: removed.agent_id };
  }

  /**
   * Returns the agent's record, or undefined. A catalog-only stub has `registered: false`. Ids are case-insensitive.
   */
  find(agentId: string): RegistryRecord | undefined {
    const row = this.store.find(agentId);
    return row && this.view(row);
  }

  /** Whether that registration of the agent has not ended. */
  isStanding({ agent_id, rid }: Registrant): boolean {
    return this.store.findStanding(agent_id)?.rid === rid;
  }

  /** Like `find`, but throws `not_found`. */
  get(agentId: string): RegistryRecord {
    const record = this.find(agentId);
    if (!record) throw new MeshError('not_found', 'There is no such agent in this directory.');
    return record;
  }

  /** Returns a page of the directory in order of insertion. Throws `bad_request` for an invalid cursor. */
  list({ live, registered, q, limit = LIST_LIMIT_DEFAULT, cursor }: RegistryQuery): RegistryList {
    const afterSeq = cursor === undefined ? 0 : getPlace(cursor);
    const seenAfterMs = live === true ? this.clock.now() - ONLINE_SECONDS * 1000 : undefined;
    const words = q === undefined || q.trim() === '' ? undefined : q;
    const seenToo = seenAfterMs === undefined ? [] : this.signs.listAfter(seenAfterMs);
    const rows = this.store.list({ seenAfterMs, seenToo, registered, words, afterSeq, limit: limit + 1 });
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const next_cursor = rows.length > limit && last ? String(last.seq) : null;
    return { agents: page.map((row) => this.view(row)), count: page.length, next_cursor };
  }

  /** Whether the agent is registered and online. Reads memory only. */
  isLive(agentId: string): boolean {
    return this.watch.onlineUntilMs(agentId) > 0;
  }

  /**
   * When the agent stops being live unless it is seen again, in epoch milliseconds. 0 when it is not live. Reads
   * memory only.
   */
  liveUntilMs(agentId: string): number {
    return this.watch.onlineUntilMs(agentId);
  }

  /**
   * Iterates over every record, including catalog-only stubs, which have `registered: false`. Rows are read in pages,
   * so that a slow consumer blocks no other caller.
   */
  *all(): Generator<RegistryRecord> {
    for (const row of this.store.all()) yield this.view(row);
  }

  /** The id of the registered agent to which `pubkey` (standard base64) is bound. */
  agentOfKey(pubkey: string): string | undefined {
    return this.store.findByBoundKey(pubkey)?.agent_id;
  }

  /**
   * Calls `listener` with the id of each agent or stub whose record has changed, including when it comes online or goes
   * offline. Heartbeats without a change are not reported.
   */
  onChanged(listener: Listener): void {
    this.changedListeners.push(listener);
  }

  /**
   * Calls `listener` with the id of each deregistered agent. The deletion waits for all listeners before it publishes
   * its event and resolves. A stub that remains is reported as a change after that.
   */
  onRemoved(listener: RemovedListener): void {
    this.removedListeners.push(listener);
  }

  /** Notifies the change listeners. */
  private changed(agentId: string): void {
    for (const listener of this.changedListeners) listener(agentId);
  }

  /** Returns a registration of this daemon. Throws `not_found` when it has ended, `forbidden` for another daemon’s. */
  private registrationOf({ agent_id, rid }: Registrant): RegistrationRow {
    const row = this.store.findStanding(agent_id);
    if (!row || row.rid !== rid) throw registrationOver();
    this.shared.owners.requireOwn(toAgent(agent_id));
    return row;
  }

  /** Notes a sign of life of an agent of this daemon. */
  private see({ seq, agent_id, is_away }: RegistrationRow): void {
    const now = this.clock.now();
    this.signs.note(seq, now);
    this.watch.note(agent_id, now, is_away === 1);
  }

  /**
   * Makes the edit, if it makes any difference: most heartbeats say what is known. Throws `not_found` when the
   * registration has ended.
   */
  private async change(
    registrant: Registrant,
    verb: 'change' | 'set-state',
    body: Omit<ChangeAgent, 'rid'> | Omit<SetAgentState, 'rid'>,
    edit: Edit,
  ): Promise<RegistryRow> {
    const { agent_id, rid } = registrant;
    this.registrationOf(registrant);
    const before = this.store.find(agent_id) as RegistryRow;
    if (!differs(before, edit(before))) return before;
    return (await this.submit<ChangedAgent, ChangeAgent | SetAgentState>(verb, agent_id, { rid, ...body })).row;
  }

  private async submit<Result, Body extends Record<string, unknown>>(
    verb: string,
    agentId: string,
    body: Body,
  ): Promise<Result> {
    return this.shared.log.submit<Result>(`registry.${verb}`, agentId, body);
  }

  /** Sets what follows each command: presence, events, and the listeners. */
  private follow({ kinds }: SharedChanges): void {
    kinds.onApplied<void>('registry.register', (_, { entity, at, body }) => {
      this.bus.publish('agent.registered', { agent_id: entity, surface: SURFACE });
      const { agent_card } = (body as RegisterAgent).profile;
      this.noteRecent({ agent_id: entity, ms: at, isAway: agent_card?.availability?.now === false });
      this.changed(entity);
    });
    kinds.onApplied<SeenAgent[]>('registry.seen', (seen) => this.followSeen(seen));
    for (const verb of ['change', 'set-state', 'bind-key'])
      kinds.onApplied<ChangedAgent>(`registry.${verb}`, (changed) => this.followChange(changed));
    kinds.onApplied<RemovedAgent>('registry.deregister', async ({ agent_id, seq, stub }) => {
      this.signs.forget(seq);
      this.watch.forget(agent_id);
      await Promise.all(this.removedListeners.map((listener) => listener(agent_id)));
      if (stub !== null) this.changed(stub);
      this.bus.publish('agent.deregistered', { agent_id, surface: SURFACE });
    });
    kinds.onReplaced(async () => {
      this.signs.clear();
      await this.store.indexText();
      this.watch.stop();
      this.resumeWatch();
    });
    kinds.onApplied<ImportedEntries>('catalog.import', ({ touched }) => {
      for (const agentId of touched) this.changed(agentId);
    });
  }

  private followChange({ row, isDifferent, unbound }: ChangedAgent): void {
    const { agent_id, agent_card } = row;
    if (isDifferent) this.tellUpdated(agent_id);
    this.noteRecent({ agent_id, ms: this.lastSeenMs(row), isAway: agent_card?.availability?.now === false });
    if (unbound !== null) this.tellUpdated(unbound);
  }

  /** Follows the signs of life that another daemon saw. Those that this one saw are noted already. */
  private followSeen(seen: readonly SeenAgent[]): void {
    const { log, owners } = this.shared;
    if (!log.isShared) return;
    for (const one of seen) if (!owners.isOwn(toAgent(one.agent_id))) this.noteRecent(one);
  }

  /** Commands that are applied while catching up tell of long ago. */
  private noteRecent({ agent_id, ms, isAway }: Omit<SeenAgent, 'ms'> & { ms: number | null }): void {
    if (ms !== null && this.clock.now() - ms < ONLINE_SECONDS * 1000) this.watch.note(agent_id, ms, isAway);
  }

  private resumeWatch(): void {
    const seen = this.store.listSeenAfter(this.clock.now() - ONLINE_SECONDS * 1000);
    this.watch.resume(seen.filter(({ is_away }) => is_away === 0));
  }

  private lastSeenMs({ seq, last_seen_ms }: RegistryRow): number | null {
    return this.signs.find(seq) ?? last_seen_ms;
  }

  private tellUpdated(agentId: string): void {
    this.bus.publish('agent.updated', { agent_id: agentId, surface: SURFACE });
    this.changed(agentId);
  }

  private view(row: RegistryRow): RegistryRecord {
    return toRegistryRecord({ ...row, last_seen_ms: this.lastSeenMs(row) }, this.clock.now());
  }
}

function getPlace(cursor: string): number {
  if (!/^\d{1,15}$/.test(cursor)) {
    throw new MeshError('bad_request', '"cursor" must be the next_cursor of an earlier page.', {
      details: { path: 'cursor' },
    });
  }
  return Number(cursor);
}
