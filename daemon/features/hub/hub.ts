import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import type { ByHubAgent, ChangeHubAgent, HubEdit, RegisterHubAgent } from '../../contract/commands/hub.js';
import type { SeenAgents } from '../../contract/commands/seen.js';
import { LIST_LIMIT_DEFAULT } from '../../contract/limits.js';
import type { AgentDeleted, StateBody, TokenBody, TokenResult } from '../../contract/network/agents.js';
import type {
  AgentRecord,
  AgentsQuery,
  AgentUpdated,
  PatchAgentBody,
  RegisterBody,
  Registration,
} from '../../contract/network/hub.js';
import type { Bus } from '../../events/bus.js';
import { checkAgentId } from '../../lib/agents/agent-id.js';
import { toShownCard } from '../../lib/agents/record-card.js';
import { checkedCard } from '../../lib/agents/tier1-card.js';
import type { AgentClaims, AgentTokens } from '../../lib/crypto/agent-token.js';
import { sha256 } from '../../lib/crypto/digests.js';
import { MeshError } from '../../lib/errors.js';
import { parseSequenceCursor } from '../../lib/sequence-cursor.js';
import type { Clock } from '../../lib/time/clock.js';
import type { SharedChanges } from '../../shared-log/command-kinds.js';
import { type HubAgent, toAgentRecord } from './hub-agent.js';
import { editAgent, HubCommands, type RemovedAgent } from './hub-commands.js';
import type { HubContactsStore } from './hub-contacts-store.js';
import { type HubCaller, type HubDirectory, type HubRegistration, notRegistered } from './hub-directory.js';
import type { AgentRow, HubStore } from './hub-store.js';

type Listener = (agentId: string) => void;
/** `owners`: of an agent that was online, the ids of those that had it as a contact. */
type RemovedListener = (agentId: string, owners: readonly string[] | undefined) => void | Promise<void>;

interface HubParts {
  store: HubStore;
  directory: HubDirectory;
  shared: SharedChanges;
  tokens: AgentTokens;
  bus: Bus;
  clock: Clock;
  /** See `HubCommands`. */
  gone?: (agentId: string) => void;
  contacts?: Pick<HubContactsStore, 'listOwners'>;
  /** This hub's own address. */
  hubUrl: () => string;
}

const SURFACE = 'hub';
/** Compared against when the id is unknown, so that the response takes equally long. */
const NOBODYS_KEY = randomBytes(32);

/**
 * The canonical catalog of agents: registration, tokens, heartbeats, lookup and deregistration. It hosts no agents and
 * shares nothing with the unified API. A token acts only for the registration it was minted for. The token of an ended
 * registration is `unauthorized`, even if the id has been registered again. Spec: What the service does, 1; Agent
 * › States.
 */
export class Hub {
  private readonly changedListeners: Listener[] = [];
  private readonly removedListeners: RemovedListener[] = [];

  constructor(private readonly parts: HubParts) {
    parts.directory.onPresence((agent_id, isOnline) => {
      parts.bus.publish(isOnline ? 'agent.online' : 'agent.offline', { agent_id, surface: SURFACE });
      this.changed(agent_id);
    });
    parts.shared.kinds.define(new HubCommands(parts.store, parts.gone, parts.contacts).kinds);
    this.follow(parts);
  }

  /**
   * Registers a listener, called after an agent was registered, changed its data, came online or went offline.
   * Heartbeats without a change are not reported.
   */
  onChanged(listener: Listener): void {
    this.changedListeners.push(listener);
  }

  /**
   * Registers a listener, called when a registration has been deleted. The deletion resolves after all listeners
   * have finished.
   */
  onRemoved(listener: RemovedListener): void {
    this.removedListeners.push(listener);
  }

  /**
   * Registers an agent, first come, first served, and marks it online. The result is the only one that carries the
   * `api_key`. An agent registered by a partner is `verified`. Throws `agent_id_claimed`, `reserved_agent_id`,
   * `bad_request`, `unknown_card_key`, `plaintext_endpoint`, and `overloaded` when the hub has reached its maximum
   * number of agents. Publishes `agent.registered` and `agent.online`. Spec: Agent › States; Registration result.
   */
  async register(
    body: RegisterBody,
    { isPartner }: { isPartner: boolean } = { isPartner: false },
  ): Promise<Registration> {
    const { log } = this.parts.shared;
    checkAgentId(body.agent_id, { isPartner });
    const card = body.agent_card === undefined ? null : checkedCard(body.agent_card);
    const api_key = randomBytes(16).toString('hex');
    const rid = randomUUID();
    const { agent_id, capabilities } = body;
    await log.submit<number>('hub.register', agent_id, {
      ...{ rid, api_key_sha256: sha256(api_key).toString('base64url'), card, capabilities },
      ...{ description: body.description ?? null, is_verified: isPartner },
    } satisfies RegisterHubAgent);
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
   * Marks the agent online, whatever `availability.now` said before, and returns a new token, valid for 24 hours. With
   * `staysAway`, an agent that has set itself away stays so.
   * Throws `unauthorized` when the key does not match and, to prevent probing of ids, for an unknown id. Safe to
   * repeat. Spec: Agent › States.
   */
  async token({ agent_id, api_key }: TokenBody, { staysAway = false } = {}): Promise<TokenResult> {
    const { store, directory, tokens } = this.parts;
    const registration = directory.find(agent_id);
    const digest = (registration && store.findKeyDigest(registration.seq)) ?? NOBODYS_KEY;
    if (!timingSafeEqual(sha256(api_key), digest) || !registration) {
      throw new MeshError('unauthorized', 'This pair of agent_id and api_key is not valid here.');
    }
    directory.touch(registration);
    if (registration.isAway && !staysAway) await this.change(registration, { is_back: true });
    return { ...tokens.mint(registration.agent_id, registration.rid), agent_id: registration.agent_id };
  }

  /**
   * Returns the claims of a token. Throws `unauthorized` for a token that this hub did not mint, that has expired, or
   * whose registration has ended.
   */
  async authenticate(token: string): Promise<AgentClaims> {
    return this.requireRegistered(await this.parts.tokens.read(token));
  }

  /** The synchronous form of `authenticate`. Returns undefined for a token that must be verified first. */
  recognize(token: string): AgentClaims | undefined {
    const claims = this.parts.tokens.known(token);
    return claims && this.requireRegistered(claims);
  }

  /**
   * Handles a heartbeat: replaces the fields that the body names, the card as a whole, and keeps the others. Throws
   * `unauthorized` after deregistration, `unknown_card_key`, `plaintext_endpoint`, `bad_request`. Changed fields are
   * durable when it resolves; the last-seen watermark is not. Publishes `agent.updated` when a field has changed. Spec:
   * Endpoints › Hub; Limits.
   */
  async update(caller: HubCaller, body: PatchAgentBody = {}): Promise<AgentUpdated> {
    const { directory } = this.parts;
    const registration = directory.of(caller);
    const card = body.agent_card === undefined ? undefined : checkedCard(body.agent_card);
    const { description, capabilities } = body;
    const row = await this.change(registration, {
      ...(description !== undefined && { description }),
      ...(capabilities !== undefined && { capabilities }),
      ...(card !== undefined && { card }),
    });
    directory.touch(registration);
    return this.updated(registration, row);
  }

  /**
   * Merges the availability into the stored card and keeps its other keys. It is no heartbeat: a silent agent stays
   * offline. Throws `unauthorized` after deregistration. Publishes `agent.online`, `agent.offline` and `agent.updated`
   * where they apply. Spec: Endpoints › Hub.
   */
  async setState(caller: HubCaller, { availability }: StateBody): Promise<AgentUpdated> {
    const registration = this.parts.directory.of(caller);
    const row = await this.change(registration, { availability });
    return this.updated(registration, row);
  }

  find(agentId: string): HubAgent | undefined {
    const registration = this.parts.directory.find(agentId);
    const row = registration && this.parts.store.find(registration.seq);
    return row && { ...row, lastSeenMs: registration.lastSeenMs };
  }

  /** Whether that registration of the agent has not ended. */
  isStanding({ agent_id, rid }: Pick<AgentClaims, 'agent_id' | 'rid'>): boolean {
    return this.parts.directory.find(agent_id)?.rid === rid;
  }

  /** Returns the public record. Throws `not_found`. Spec: Agent lookup record. */
  get(agentId: string): AgentRecord {
    const agent = this.find(agentId);
    if (!agent) throw notRegistered();
    return toAgentRecord(agent, this.parts.clock.now());
  }

  /** Whether the agent is registered and online. Reads memory only. */
  isOnline(agentId: string): boolean {
    const registration = this.parts.directory.find(agentId);
    return registration !== undefined && this.parts.directory.isOnline(registration);
  }

  /**
   * Returns a page of agents in order of registration: those that are online, or all. `next` is the cursor of the
   * following page. Throws `bad_request` for an invalid cursor.
   */
  list({ all, capability, q, limit = LIST_LIMIT_DEFAULT, cursor }: AgentsQuery): {
    agents: AgentRecord[];
    next: string | undefined;
  } {
    const { store, directory } = this.parts;
    const found: HubRegistration[] = [];
    for (const key of store.keys(parseSequenceCursor(cursor), capability, q?.trim() || undefined)) {
      const registration = directory.find(key);
      if (!registration || (all !== true && !directory.isOnline(registration))) continue;
      if (found.length === limit)
        return { agents: this.records(found), next: String((found.at(-1) as HubRegistration).seq) };
      found.push(registration);
    }
    return { agents: this.records(found), next: undefined };
  }

  /** Ids of all registered agents. */
  *ids(): Iterable<string> {
    for (const { agent_id } of this.parts.directory.all()) yield agent_id;
  }

  /**
   * Iterates over every registered agent, read 500 at a time. An agent that is added or removed meanwhile may or may
   * not be included.
   */
  *all(): Iterable<HubAgent> {
    for (const row of this.parts.store.agents()) {
      const registration = this.parts.directory.find(row.agent_id);
      if (registration) yield { ...row, lastSeenMs: registration.lastSeenMs };
    }
  }

  /**
   * Deletes the registration and everything that refers to it (polling state, inbox, message log, channel memberships,
   * contacts) in one transaction. Its tokens are invalid from then on, also after a restart. Throws `unauthorized` when
   * it has already ended. Publishes `agent.deregistered`. Spec: Agent › States.
   */
  async deregister(caller: HubCaller): Promise<AgentDeleted> {
    const { seq, agent_id } = this.parts.directory.of(caller);
    await this.parts.shared.log.submit<RemovedAgent>('hub.deregister', agent_id, { agent: seq } satisfies ByHubAgent);
    return { status: 'deleted', agent_id };
  }

  /** Sets what follows each command: presence, events, and the listeners. */
  private follow({ shared: { kinds }, directory, bus }: HubParts): void {
    kinds.onApplied<number>('hub.register', (seq, { entity: agent_id, at, body }) => {
      const { rid, card } = body as RegisterHubAgent;
      bus.publish('agent.registered', { agent_id, surface: SURFACE });
      const isAway = card?.availability?.now === false;
      directory.add({ seq, agent_id, rid, lastSeenMs: at, isAway });
      // An agent that is away causes no presence notification, so the listeners must be notified here.
      if (isAway) this.changed(agent_id);
    });
    kinds.onApplied<AgentRow>('hub.change', ({ seq, agent_id, card }) => {
      const registration = directory.find(agent_id);
      if (registration?.seq === seq) directory.setAway(registration, card?.availability?.now === false);
      bus.publish('agent.updated', { agent_id, surface: SURFACE });
      this.changed(agent_id);
    });
    kinds.onApplied<void>('hub.seen', (_, { at, body }) => directory.noteSeen((body as SeenAgents).seen, at));
    kinds.onReplaced(() => directory.reload());
    kinds.onApplied<RemovedAgent>('hub.deregister', async ({ seq, agent_id, owners }) => {
      const registration = directory.find(agent_id);
      const wasOnline = registration?.seq === seq && directory.remove(registration);
      const lettingGo = this.removedListeners.map((listener) => listener(agent_id, wasOnline ? owners : undefined));
      // Published before the await, so that a registration of the same id in the meantime is published later than this.
      bus.publish('agent.deregistered', { agent_id, surface: SURFACE });
      await Promise.all(lettingGo);
    });
  }

  /** Makes the edit, if it makes any difference. */
  private async change({ seq, agent_id }: HubRegistration, edit: HubEdit): Promise<AgentRow> {
    const { store, shared } = this.parts;
    const before = store.find(seq);
    // A typical heartbeat changes nothing and needs no disk write.
    if (before && isSame(before, editAgent(before, edit))) return before;
    return shared.log.submit<AgentRow>('hub.change', agent_id, { agent: seq, edit } satisfies ChangeHubAgent);
  }

  private updated(registration: HubRegistration, row: AgentRow): AgentUpdated {
    return {
      status: 'ok',
      agent_id: registration.agent_id,
      online: this.parts.directory.isOnline(registration),
      agent_card: toShownCard(row),
    };
  }

  private records(registrations: readonly HubRegistration[]): AgentRecord[] {
    return registrations.map(({ agent_id }) => this.get(agent_id));
  }

  private changed(agentId: string): void {
    for (const listener of this.changedListeners) listener(agentId);
  }

  /** Returns `claims` while their registration exists. Throws `unauthorized` otherwise. */
  private requireRegistered(claims: AgentClaims): AgentClaims {
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
