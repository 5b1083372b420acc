import { createHash, randomUUID } from 'node:crypto';
import { getDirectThreadId } from '../../../../daemon/features/hub/direct-thread.js';
import { agentKey } from '../../../../daemon/lib/agents/agent-id.js';
import type { Dice } from '../../../../daemon/testing/dice.js';
import { many } from '../../many.js';
import type { WeekDaemon } from './week-daemon.js';

/**
 * How many changes of all daemons are on their way at once, at least one of each. Every daemon of the drill applies
 * each of them on the same machine, so more would only wait for each other until nobody answers in time.
 */
const AT_ONCE = 64;
const BODY_CHARS = 400;
const PAYLOAD_CHARS = 200;

interface Agent {
  id: string;
  rid: string;
  /** The numbers of its registrations with both directories. */
  hub: number;
  v1: number;
}

/** Where a daemon stands among all, and how much there is of everything. */
export interface Share {
  index: number;
  daemons: number;
  agents: number;
  clusters: number;
}

const digestOf = (text: string) => createHash('sha256').update(text).digest('base64url');
const toAgentId = (daemon: number, number: number) => `agent-${daemon}-${number}`;

/**
 * What the agents of one daemon do: signs of life, messages, posts, changes of their cards, leaving and coming back.
 */
export class WeekLoad {
  private readonly agents: Agent[] = [];
  private readonly busy = new Set<Agent>();
  readonly submitMs: number[] = [];
  readonly failures: string[] = [];
  /** Changes that the network had not applied here in time: what became of them is not known. */
  unanswered = 0;

  private readonly atOnce: number;

  constructor(
    private readonly daemon: WeekDaemon,
    private readonly share: Share,
    private readonly dice: Dice,
    private readonly now: () => number,
  ) {
    this.atOnce = Math.max(1, Math.floor(AT_ONCE / share.daemons));
  }

  /** Registers the daemon's agents with both directories, and creates its clusters with a board each. */
  async populate(): Promise<void> {
    const { index, daemons, agents, clusters } = this.share;
    const own = Math.ceil((agents - index) / daemons);
    await many(
      Array.from({ length: own }, (_, number) => number),
      this.atOnce,
      async (number) => {
        const agent = await this.register(toAgentId(index, number));
        if (agent) this.agents.push(agent);
      },
    );
    for (let cluster = index; cluster < clusters; cluster += daemons) await this.createCluster(cluster);
  }

  /** Pins so many posts. */
  async pinAll(count: number): Promise<void> {
    const pins = Array.from({ length: count }, () => this.dice.pick(this.agents));
    await many(pins, this.atOnce, (agent) => this.pin(agent));
  }

  /** Sends `count` changes; the first daemon also removes what has expired. */
  async hour(count: number): Promise<void> {
    const changes = Array.from({ length: count }, () => this.dice.random());
    await many(changes, this.atOnce, (chance) => this.change(chance));
    if (this.share.index > 0) return;
    await this.submit('post.expire', 'expired', {});
    await this.submit('hub.prune', 'old', {});
  }

  /** One of the agents changes something; each does one thing at a time. */
  private async change(chance: number): Promise<void> {
    const idle = this.agents.filter((one) => !this.busy.has(one));
    if (idle.length === 0) return;
    const agent = this.dice.pick(idle);
    this.busy.add(agent);
    const before = this.unanswered;
    await this.changeAs(agent, chance);
    // An agent of which nobody knows whether it is registered does nothing any longer.
    if (this.unanswered > before) this.agents.splice(this.agents.indexOf(agent), 1);
    this.busy.delete(agent);
  }

  private async changeAs(agent: Agent, chance: number): Promise<void> {
    const { id, rid, hub } = agent;
    if (chance < 0.1) return this.noteSeen('registry.seen', 'v1');
    if (chance < 0.2) return this.noteSeen('hub.seen', 'hub');
    if (chance < 0.45) return this.sendMessage(agent);
    if (chance < 0.65) return this.submit('hub.consume', id, { agent: hub, limit: 100 });
    if (chance < 0.85) return this.pin(agent);
    if (chance < 0.97) {
      const profile = { description: `Knows berth ${this.dice.below(1e6)}.` };
      return this.submit('registry.change', id, { rid, profile });
    }
    await this.submit('registry.deregister', id, { rid });
    await this.submit('hub.deregister', id, { agent: hub });
    Object.assign(agent, await this.register(id));
  }

  /** All agents of this daemon gave a sign of life. */
  private noteSeen(kind: string, directory: 'hub' | 'v1'): Promise<void> {
    const seen = this.agents.map(({ [directory]: agent }) => ({ agent, ms: this.now() }));
    return this.submit(kind, 'seen', { seen });
  }

  private async sendMessage({ hub }: Agent): Promise<void> {
    const { daemons, agents } = this.share;
    const number = this.dice.below(agents);
    const receiver = this.findNumber(
      'hub_agents',
      'agent_key',
      toAgentId(number % daemons, Math.floor(number / daemons)),
    );
    if (receiver === undefined) return;
    const payload = JSON.stringify('x'.repeat(PAYLOAD_CHARS));
    const body = {
      sender: hub,
      receiver,
      channel: null,
      room_id: this.threadOf(hub, receiver),
      receivers: [receiver],
      payload,
    };
    await this.submit('hub.send', randomUUID(), body);
  }

  private threadOf(...agents: [one: number, other: number]): string {
    const find = this.daemon.database.sql('SELECT rid FROM hub_agents WHERE seq = ?').pluck();
    const [one = '', other = ''] = agents.map((agent) => find.get(agent) as string);
    return getDirectThreadId({ rid: one }, { rid: other });
  }

  private async pin({ id }: Agent): Promise<void> {
    const cluster = this.dice.below(this.share.clusters);
    await this.submit('post.pin', `p_${randomUUID()}`, {
      ...{ cluster: `c_${cluster}`, board: `b_${cluster}`, author: id, is_adult: false },
      ...{ title: 'A berth is free', body: 'y'.repeat(BODY_CHARS), ttl: this.dice.pick(['24h', '7d']) },
      ...{ file: null, props: null, lang: null, key: null },
    });
  }

  private findNumber(table: string, column: string, id: string): number | undefined {
    const numbers = this.daemon.database.sql(`SELECT seq FROM ${table} WHERE ${column} = ?`).pluck();
    return numbers.get(agentKey(id)) as number | undefined;
  }

  /** Undefined when it is not known whether the agent is registered. */
  private async register(id: string): Promise<Agent | undefined> {
    const rid = randomUUID();
    const api_key_sha256 = digestOf(rid);
    const description = `Answers for ${id}, in a sentence as long as those of members are.`;
    const capabilities = ['ask', 'berths'];
    await this.submit('registry.register', id, {
      ...{ rid, api_key_sha256, pubkey: null },
      profile: { description, capabilities },
    });
    const card = { description, tags: ['berths'] };
    const body = { rid, api_key_sha256, description, capabilities, card, is_verified: false };
    const hub = await this.submit<number | undefined>('hub.register', id, body);
    const v1 = this.findNumber('registry_agents', 'key', id);
    return hub === undefined || v1 === undefined ? undefined : { id, rid, hub, v1 };
  }

  private async createCluster(number: number): Promise<void> {
    const [id, digest] = [`c_${number}`, digestOf(String(number))];
    await this.submit('cluster.create', id, {
      ...{ token_sha256: digest, admin_sha256: digest, visibility: 'public', slug: `quay-${number}` },
      ...{ name: `Quay ${number}`, topic: '', description: '', key: null },
    });
    await this.submit('cluster.update', id, { boards_enabled: true });
    const board = { cluster: id, slug: 'berths', name: 'Berths', kind: 'generic', about: '', props: null };
    await this.submit('board.create', `b_${number}`, board);
  }

  /** Notes how long the change took, or why it failed. */
  private async submit<Result = void>(kind: string, entity: string, body: Record<string, unknown>): Promise<Result> {
    const startedMs = performance.now();
    try {
      return await this.daemon.submit<Result>(kind, entity, body);
    } catch (error) {
      const { code = '', message } = error as { code?: string; message: string };
      // The receiver of a message may have left in the same moment.
      if (code === 'network_unavailable') this.unanswered += 1;
      else if (kind !== 'hub.send' || code !== 'not_found') this.failures.push(`${kind}: ${code} ${message}`);
      return undefined as Result;
    } finally {
      this.submitMs.push(performance.now() - startedMs);
    }
  }
}
