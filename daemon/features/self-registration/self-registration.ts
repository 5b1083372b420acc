import { Mutex } from 'async-mutex';
import { SURFACES, type Surface } from '../../contract/network/agents.js';
import type { SelfRegistrationList, SurfaceRegistration } from '../../contract/network/self-registration.js';
import { agentKey } from '../../lib/agents/agent-id.js';
import { getErrorMessage, isMeshError, MeshError } from '../../lib/errors.js';
import { type Clock, every } from '../../lib/time/clock.js';
import type { AgentHost } from '../agent-host/agent-host.js';
import type { Exposure } from '../exposure/exposure.js';
import { createAgentId } from './agent-id.js';
import { createRegistrationCard, type RegistrationCard } from './registration-card.js';
import type { RegistrationKeys } from './registration-keys.js';
import type { Mark, RegistrationMarks } from './registration-marks.js';
import type { SurfacePort } from './surface-ports.js';

/** Interval between two heartbeats, well within the time after which an agent is offline. */
export const SELF_HEARTBEAT_MS = 120_000;
/** Highest number that is appended to an id that is taken. */
const NUMBERS = 50;

interface SelfRegistrationParts {
  exposure: Pick<Exposure, 'externalMembers'>;
  host: Pick<AgentHost, 'publicCard'>;
  surfaces: Readonly<Record<Surface, SurfacePort>>;
  keys: RegistrationKeys;
  marks: RegistrationMarks;
  clock: Clock;
  project: string;
  /** Reports failures of background work to the operator. */
  warn: (message: string) => void;
}

/** The state of one member on one surface, besides its key. */
interface RegistrationFacts {
  mintedMs: number | null;
  problem: string | null;
}

/**
 * Self-registration: registers each exposed member on both surfaces as `<project>-<member>`, sends its heartbeats,
 * keeps its card in line with its file, and deregisters it when it is hidden or deleted. Also withdraws registrations
 * left behind by an earlier run, or brought back by restored data. A self-registered member is an ordinary agent there,
 * with a key and tokens. Spec: What the service does, 4; contract: Unified API.
 */
export class SelfRegistration {
  private readonly seen = new Map<string, RegistrationFacts>();
  private readonly mutex = new Mutex();
  private cancel: () => void = () => undefined;
  private isRunning = false;
  private isBeating = false;
  /** Why the files cannot be used, or null. When set, no member is registered. */
  private broken: string | null = null;

  constructor(private readonly parts: SelfRegistrationParts) {}

  /**
   * Loads the keys of earlier runs and registers the exposed members. Must be called once the daemon listens, since
   * endpoints contain its port.
   */
  async start(): Promise<void> {
    try {
      await this.parts.keys.load();
      await this.parts.marks.load();
    } catch (error) {
      if (!(error instanceof MeshError)) throw error;
      this.broken = error.message;
      this.parts.warn(error.message);
    }
    this.isRunning = true;
    this.cancel = every(this.parts.clock, SELF_HEARTBEAT_MS, () => void this.beat());
    await this.settle();
  }

  /**
   * Stops the heartbeats. When keys could not be saved, the members are deregistered, since no later run could do so.
   */
  async stop(): Promise<void> {
    if (!this.isRunning) return;
    this.isRunning = false;
    this.cancel();
    await this.mutex.waitForUnlock();
    if (!this.parts.keys.isUnsaved) return;
    for (const member of this.parts.keys.members())
      for (const surface of SURFACES) await this.guarded(member, surface, () => this.withdraw(member, surface));
  }

  /**
   * Brings both surfaces in line with the exposed members and sends their heartbeats. Called when exposure has changed.
   * Never throws; failures are reported and retried with the next heartbeat.
   */
  settle(): Promise<void> {
    if (!this.isRunning || this.broken !== null) return Promise.resolve();
    return this.mutex.runExclusive(() => this.settleNow());
  }

  /**
   * Brings the cards of an exposed member on both surfaces in line with its file, so that nothing that is found there
   * shows an earlier price. Like `settle`, it never throws.
   */
  refresh(id: string): Promise<void> {
    if (!this.isRunning || this.broken !== null) return Promise.resolve();
    return this.mutex.runExclusive(async () => {
      const member = this.parts.exposure.externalMembers().find((one) => one.id === id);
      if (member && this.parts.keys.members().includes(id)) await Promise.all(this.keepOnBoth(member));
    });
  }

  /** Each exposed member with its state on both surfaces. */
  list(): SelfRegistrationList {
    const registrations = this.parts.exposure.externalMembers().map(({ id }) => ({
      member: id,
      surfaces: { hub: this.describeRegistration(id, 'hub'), v1: this.describeRegistration(id, 'v1') },
    }));
    return { registrations, count: registrations.length };
  }

  /** One at a time: on a slow machine, heartbeats must not queue up behind each other. */
  private async beat(): Promise<void> {
    if (this.isBeating) return;
    this.isBeating = true;
    await this.settle();
    this.isBeating = false;
  }

  private async settleNow(): Promise<void> {
    const { exposure, keys, marks } = this.parts;
    for (const mark of marks.list()) await this.withdrawLost(mark);
    const exposed = new Map(exposure.externalMembers().map((member) => [member.id, member]));
    const gone = keys.members().filter((member) => !exposed.has(member));
    const turns: Promise<void>[] = [];
    for (const surface of SURFACES)
      for (const member of gone) turns.push(this.guarded(member, surface, () => this.withdraw(member, surface)));
    for (const member of exposed.values()) turns.push(...this.keepOnBoth(member));
    await Promise.all(turns);
    await keys
      .save()
      .catch((error: unknown) =>
        this.parts.warn(`The keys of the house agents could not be written: ${getErrorMessage(error)}`),
      );
  }

  private keepOnBoth({ id, agent_type }: ReturnType<SelfRegistrationParts['exposure']['externalMembers']>[number]) {
    const getCard = () => createRegistrationCard(this.parts.host.publicCard(id), agent_type);
    return SURFACES.map((surface) => this.guarded(id, surface, () => this.keep(id, surface, getCard())));
  }

  /** Sends the heartbeat of a registered member. Registers it when it is not registered. */
  private async keep(member: string, surface: Surface, card: RegistrationCard): Promise<void> {
    const port = this.parts.surfaces[surface];
    const key = this.parts.keys.find(member, surface);
    if (key) {
      try {
        const registration = await port.open(key.agent_id, key.api_key);
        this.note(member, surface).mintedMs = this.parts.clock.now();
        return await port.push(registration, card);
      } catch (error) {
        if (!isOver(error)) throw error;
        await this.parts.keys.drop(member, surface);
      }
    }
    await this.register(member, surface, card);
  }

  private async register(member: string, surface: Surface, card: RegistrationCard): Promise<void> {
    const wanted = createAgentId(this.parts.project, member);
    for (let n = 1; n <= NUMBERS; n += 1) {
      const agent_id = createAgentId(this.parts.project, member, n);
      const isOwn = (mark: Mark) => mark.surface === surface && agentKey(mark.agent_id) === agentKey(agent_id);
      for (const mark of this.parts.marks.list().filter(isOwn)) await this.withdrawLost(mark);
      try {
        const { api_key, registration } = await this.parts.surfaces[surface].register(agent_id, card);
        this.note(member, surface).mintedMs = this.parts.clock.now();
        await this.parts.marks.put({ surface, agent_id, rid: registration.rid });
        if (n > 1)
          this.parts.warn(
            `On ${surface}, "${wanted}" is somebody else's: member ${member} is registered as "${agent_id}".`,
          );
        return await this.parts.keys.put(member, surface, { agent_id, api_key });
      } catch (error) {
        if (!isMeshError(error, 'agent_id_claimed')) throw error;
      }
    }
    throw new MeshError('agent_id_claimed', `"${wanted}" and the numbers behind it are somebody else's.`);
  }

  private async withdraw(member: string, surface: Surface): Promise<void> {
    const { keys, surfaces } = this.parts;
    const key = keys.find(member, surface);
    if (!key) return;
    const port = surfaces[surface];
    try {
      await port.deregister(await port.open(key.agent_id, key.api_key));
    } catch (error) {
      // The registration was already removed. Only the key remains to be deleted.
      if (!isOver(error)) throw error;
    }
    await keys.drop(member, surface);
    this.seen.delete(`${surface} ${member}`);
  }

  /**
   * Withdraws a registration of this daemon that stands and whose key is lost or was never saved, which frees its id.
   * Never throws.
   */
  private async withdrawLost({ surface, ...registration }: Mark): Promise<void> {
    const { keys, surfaces, warn } = this.parts;
    const { agent_id } = registration;
    if (!surfaces[surface].isStanding(registration)) return;
    if (keys.members().some((member) => keys.find(member, surface)?.agent_id === agent_id)) return;
    try {
      await surfaces[surface].deregister(registration);
    } catch (error) {
      if (isOver(error)) return;
      warn(`"${agent_id}" of an earlier run could not be taken back on ${surface}: ${getErrorMessage(error)}`);
    }
  }

  /** Runs the operation `turn`. An error is reported once and shown until the operation succeeds again. */
  private async guarded(member: string, surface: Surface, turn: () => Promise<void>): Promise<void> {
    const seen = this.note(member, surface);
    try {
      await turn();
      seen.problem = null;
    } catch (error) {
      const message = error instanceof MeshError ? error.message : 'The daemon failed; its log says why.';
      if (seen.problem !== message) this.parts.warn(`Member ${member} on ${surface}: ${getErrorMessage(error)}`);
      seen.problem = message;
    }
  }

  private note(member: string, surface: Surface): RegistrationFacts {
    const key = `${surface} ${member}`;
    const seen = this.seen.get(key) ?? { mintedMs: null, problem: null };
    this.seen.set(key, seen);
    return seen;
  }

  private listNumberedIds(member: string): string[] {
    return Array.from({ length: NUMBERS - 1 }, (_, index) => createAgentId(this.parts.project, member, index + 2));
  }

  private describeRegistration(member: string, surface: Surface): SurfaceRegistration {
    const agent_id = this.parts.keys.find(member, surface)?.agent_id ?? null;
    const found = agent_id === null ? undefined : this.parts.surfaces[surface].findState(agent_id);
    const { mintedMs, problem } = this.seen.get(`${surface} ${member}`) ?? { mintedMs: null, problem: null };
    const wanted = createAgentId(this.parts.project, member);
    // An id of an earlier name of the project, or of one that is reserved by now, was nobody else's.
    const isRenamed = agent_id !== null && this.listNumberedIds(member).includes(agent_id);
    return {
      agent_id,
      registered: found !== undefined,
      online: found?.isOnline === true,
      last_heartbeat: found?.lastSeen ?? null,
      token_age_seconds: mintedMs === null ? null : Math.max(0, Math.floor((this.parts.clock.now() - mintedMs) / 1000)),
      problem: this.broken ?? problem ?? (isRenamed ? `"${wanted}" was somebody else's.` : null),
    };
  }
}

/** Whether the registration has ended, so that its key or token is invalid. */
const isOver = (error: unknown) => isMeshError(error, 'unauthorized') || isMeshError(error, 'not_found');
