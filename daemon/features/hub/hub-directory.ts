import type { SeenHubAgents } from '../../contract/commands/hub.js';
import { agentKey } from '../../lib/agents/agent-id.js';
import type { AgentClaims } from '../../lib/crypto/agent-token.js';
import { MeshError } from '../../lib/errors.js';
import type { Clock } from '../../lib/time/clock.js';
import { isOnline } from '../../lib/time/presence.js';
import type { SharedLog } from '../../shared-log/shared-log.js';
import type { HubStore, RegistrationRow } from './hub-store.js';

/** The caller's registration, according to its token. */
export type HubCaller = Pick<AgentClaims, 'agent_id' | 'rid'>;

/** An active registration, with the fields that a heartbeat needs. */
export type HubRegistration = RegistrationRow;

type PresenceListener = (agentId: string, isOnline: boolean) => void;

const AWAY = { availability: { now: false } };
const LOOK_EVERY_MS = 5_000;
const WATERMARKS_EVERY_MS = 60_000;
const WATERMARKS_AT_ONCE = 2_000;

/**
 * An in-memory index of all registrations and of when each was last seen, since every request needs them. The database
 * is authoritative; only the last-seen watermark in memory is ahead of it, by a minute at most. Notifies once when an
 * agent comes online and once when it goes silent. Whether an agent is online is always derived from its record and the
 * time. Spec: Agent › States.
 */
export class HubDirectory {
  private readonly registrations = new Map<string, HubRegistration>();
  private readonly reportedOnline = new Set<HubRegistration>();
  private readonly seenAnew = new Set<HubRegistration>();
  private readonly listeners: PresenceListener[] = [];
  private cancels: (() => void)[] = [];

  constructor(
    private readonly store: HubStore,
    private readonly log: SharedLog,
    private readonly clock: Clock,
  ) {
    this.load();
  }

  /** Starts the periodic checks for silent agents and the periodic writes of watermarks. */
  start(): void {
    this.every(LOOK_EVERY_MS, () => this.checkSilence());
    this.every(WATERMARKS_EVERY_MS, () => void this.writeWatermarks().catch(() => undefined));
  }

  /** Stops the timers and writes all pending watermarks. */
  async stop(): Promise<void> {
    for (const cancel of this.cancels.splice(0)) cancel();
    // The failure of an unwritable store is reported elsewhere. The stored watermarks are then up to a minute old.
    await this.writeWatermarks().catch(() => undefined);
  }

  /** Reads all registrations anew, after they were replaced. */
  reload(): void {
    this.registrations.clear();
    this.reportedOnline.clear();
    this.seenAnew.clear();
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

  /** Records a sign of life. */
  touch(registration: HubRegistration): void {
    registration.lastSeenMs = this.clock.now();
    this.seenAnew.add(registration);
    this.notify(registration);
  }

  /** Records signs of life that another daemon saw. Those that this one saw are noted already. */
  noteSeen(seen: readonly { agent: number; ms: number }[]): void {
    if (!this.log.isShared) return;
    for (const { agent, ms } of seen) {
      const registration = this.findBySeq(agent);
      if (!registration || registration.lastSeenMs >= ms) continue;
      registration.lastSeenMs = ms;
      this.notify(registration);
    }
  }

  setAway(registration: HubRegistration, isAway: boolean): void {
    registration.isAway = isAway;
    this.notify(registration);
  }

  /** Removes an ended registration. A newer registration under the same id is kept. */
  remove(registration: HubRegistration): void {
    const key = agentKey(registration.agent_id);
    if (this.registrations.get(key) === registration) this.registrations.delete(key);
    this.reportedOnline.delete(registration);
    this.seenAnew.delete(registration);
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

  private async writeWatermarks(): Promise<void> {
    while (this.seenAnew.size > 0) {
      const some = [...take(this.seenAnew, WATERMARKS_AT_ONCE)];
      for (const registration of some) this.seenAnew.delete(registration);
      const seen = some.map(({ seq, lastSeenMs }) => ({ agent: seq, ms: lastSeenMs }));
      await this.log.submit<void>('hub.seen', 'seen', { seen } satisfies SeenHubAgents);
    }
  }

  private every(ms: number, run: () => void): void {
    const at = this.cancels.length;
    const again = () => {
      this.cancels[at] = this.clock.after(ms, () => {
        again();
        run();
      });
    };
    again();
  }
}

function* take<T>(all: Iterable<T>, count: number): Iterable<T> {
  let taken = 0;
  for (const one of all) {
    if (taken === count) return;
    taken += 1;
    yield one;
  }
}

export const notRegistered = () => new MeshError('not_found', 'No agent is registered here under this id.');
export const registrationOver = () =>
  new MeshError('unauthorized', 'This registration is over: register again, or send a token of the one in force.');
