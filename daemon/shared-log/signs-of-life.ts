import type { SeenAgents } from '../contract/commands/seen.js';
import { type Clock, every } from '../lib/time/clock.js';
import type { SharedLog } from './shared-log.js';

const WRITTEN_EVERY_MS = 60_000;
const AT_ONCE = 2_000;

/**
 * When the agents of one directory were last seen by this daemon. Signs of life are noted in memory and sent once a
 * minute, in one command for all agents: one command for each would be most of what a network applies. What is noted
 * here is newer than what the tables hold; a daemon that is killed, or ends in a network, loses a minute of it at most.
 */
export class SignsOfLife {
  /** The times that are not in the tables yet, in milliseconds since 1970, by the agent's number. */
  private readonly noted = new Map<number, number>();
  private cancel: () => void = () => undefined;

  /** `kind` is the kind of command, whose body is a `SeenAgents`. */
  constructor(
    private readonly kind: string,
    private readonly log: SharedLog,
    private readonly clock: Clock,
  ) {}

  start(): void {
    this.cancel = every(this.clock, WRITTEN_EVERY_MS, () => void this.write());
  }

  /** Stops the timer and writes what is noted, except in a network: the end of a daemon waits for no server. */
  async stop(): Promise<void> {
    this.cancel();
    if (!this.log.isShared) await this.write();
  }

  /** Must be called for agents of this daemon only: a command about those of others is refused as a whole. */
  note(agent: number, ms: number): void {
    this.noted.set(agent, ms);
  }

  /** When the agent was last seen, unless that is in the tables already. */
  find(agent: number): number | undefined {
    return this.noted.get(agent);
  }

  /** The agents that were seen after `ms`, of those that are noted. */
  listAfter(ms: number): number[] {
    return [...this.noted].flatMap(([agent, seenMs]) => (seenMs > ms ? agent : []));
  }

  /** Must be called for a registration that has ended. */
  forget(agent: number): void {
    this.noted.delete(agent);
  }

  /** Must be called when the tables were replaced: the numbers are of other agents. */
  clear(): void {
    this.noted.clear();
  }

  private async write(): Promise<void> {
    const noted = [...this.noted];
    try {
      for (let from = 0; from < noted.length; from += AT_ONCE) {
        const seen = noted.slice(from, from + AT_ONCE).map(([agent, ms]) => ({ agent, ms }));
        await this.log.submit<void>(this.kind, 'seen', { seen } satisfies SeenAgents);
        for (const { agent, ms } of seen) if (this.noted.get(agent) === ms) this.noted.delete(agent);
      }
    } catch {
      // Tried again after a minute. That the store or the network takes no change is reported elsewhere.
    }
  }
}
