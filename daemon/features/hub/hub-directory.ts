import { agentKey } from '../../lib/agents/agent-id.js';
import type { AgentClaims } from '../../lib/crypto/agent-token.js';
import { MeshError } from '../../lib/errors.js';
import { type Clock, every } from '../../lib/time/clock.js';
import { isOnline } from '../../lib/time/presence.js';
import type { SharedChanges } from '../../shared-log/command-kinds.js';
import { SignsOfLife } from '../../shared-log/signs-of-life.js';
import type { HubStore, RegistrationRow } from './hub-store.js';

/** The caller's registration, according to its token. */
export type HubCaller = Pick<AgentClaims, 'agent_id' | 'rid'>;

/** An active registration, with the fields that a heartbeat needs. */
export type HubRegistration = RegistrationRow;

type PresenceListener = (agentId: string, isOnline: boolean) => void;

const AWAY = { availability: { now: false } };
const LOOK_EVERY_MS = 5_000;

/**
 * An in-memory index of all registrations and of when each was last seen, since every request needs them. The database
 * is authoritative; only the last-seen watermark in memory is ahead of it, by a minute at most. Notifies once when an
 * agent comes online and once when it goes silent. Whether an agent is online is always derived from its record and the
 * time. Spec: Agent › States.
 */
export class HubDirectory {
  private readonly registrations = new Map<string, HubRegistration>();
  private readonly reportedOnline = new Set<HubRegistration>();
  private readonly listeners: PresenceListener[] = [];
  private readonly signs: SignsOfLife;
  private stopLooking: () => void = () => undefined;

  constructor(
    private readonly store: HubStore,
    private readonly shared: SharedChanges,
    private readonly clock: Clock,
  ) {
    this.signs = new SignsOfLife('hub.seen', shared.log, clock);
    this.load();
  }

  /** Starts the periodic checks for silent agents and the periodic writes of watermarks. */
  start(): void {
    this.stopLooking = every(this.clock, LOOK_EVERY_MS, () => this.checkSilence());
    this.signs.start();
  }

  /** Stops the timers and writes all pending watermarks. */
  async stop(): Promise<void> {
    this.stopLooking();
    await this.signs.stop();
  }

  /** Reads all registrations anew, after they were replaced. */
  reload(): void {
    this.registrations.clear();
    this.reportedOnline.clear();
    this.signs.clear();
    this.load();
  }

  private load(): void {
    // A damaged database is opened read-only and may lack any table.
    if (this.store.isReadable) for (const registration of this.store.listRegistrations()) this.add(registration);
  }

  /** Registers a listener for agents that come online or go offline. */
  onPresence(listener: PresenceListener): void {
    this.listeners.push(listener);
  }

  find(agentId: string): HubRegistration | undefined {
    return this.registrations.get(agentKey(agentId));
  }

  /** The active registration with a number. */
  findBySeq(seq: number): HubRegistration | undefined {
    const id = this.store.findId(seq);
    const registration = id === undefined ? undefined : this.find(id);
    return registration?.seq === seq ? registration : undefined;
  }

  /** Throws `not_found` for an id that is not registered. */
  get(agentId: string): HubRegistration {
    const registration = this.find(agentId);
    if (!registration) throw notRegistered();
    return registration;
  }

  /** The caller's registration. Throws `unauthorized` when it has ended, even if the id has been registered again. */
  of(caller: HubCaller): HubRegistration {
    const registration = this.find(caller.agent_id);
    if (registration?.rid !== caller.rid) throw registrationOver();
    return registration;
  }

  all(): Iterable<HubRegistration> {
    return this.registrations.values();
  }

  isOnline({ lastSeenMs, isAway }: HubRegistration): boolean {
    return isOnline({ lastSeenMs, card: isAway ? AWAY : null }, this.clock.now());
  }

  /** Adds a registration that is already durable. */
  add(registration: HubRegistration): void {
    this.registrations.set(agentKey(registration.agent_id), registration);
    this.notify(registration);
  }

  /** Records a sign of life. One of an agent of another daemon stays in memory: that daemon tells of its own. */
  touch(registration: HubRegistration): void {
    const { seq, agent_id } = registration;
    const { log, owners } = this.shared;
    registration.lastSeenMs = this.clock.now();
    if (!log.isShared || owners.isOwn({ area: 'hub', id: agentKey(agent_id) }))
      this.signs.note(seq, registration.lastSeenMs);
    this.notify(registration);
  }

  /** Records signs of life that another daemon saw. Those that this one saw are noted already. */
  noteSeen(seen: readonly { agent: number; ms: number }[], atMs: number): void {
    if (!this.shared.log.isShared) return;
    for (const { agent, ms } of seen) {
      const registration = this.findBySeq(agent);
      const seenMs = Math.min(ms, atMs);
      if (!registration || registration.lastSeenMs >= seenMs) continue;
      registration.lastSeenMs = seenMs;
      this.notify(registration);
    }
  }

  setAway(registration: HubRegistration, isAway: boolean): void {
    registration.isAway = isAway;
    this.notify(registration);
  }

  /**
   * Removes an ended registration. A newer registration under the same id is kept. Returns whether it was last notified
   * as online; its end is not notified.
   */
  remove(registration: HubRegistration): boolean {
    const key = agentKey(registration.agent_id);
    if (this.registrations.get(key) === registration) this.registrations.delete(key);
    this.signs.forget(registration.seq);
    return this.reportedOnline.delete(registration);
  }

  private notify(registration: HubRegistration): void {
    const isNow = this.isOnline(registration);
    if (isNow === this.reportedOnline.has(registration)) return;
    if (isNow) this.reportedOnline.add(registration);
    else this.reportedOnline.delete(registration);
    for (const listener of this.listeners) listener(registration.agent_id, isNow);
  }

  private checkSilence(): void {
    for (const registration of this.reportedOnline) this.notify(registration);
  }
}

export const notRegistered = () => new MeshError('not_found', 'No agent is registered here under this id.');
export const registrationOver = () =>
  new MeshError('unauthorized', 'This registration is over: register again, or send a token of the one in force.');
