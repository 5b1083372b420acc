import { ONLINE_SECONDS } from '../../contract/network/agents.js';
import { agentKey } from '../../lib/agents/agent-id.js';
import type { Clock } from '../../lib/time/clock.js';
import { isOnline } from '../../lib/time/presence.js';

const ONLINE_MS = ONLINE_SECONDS * 1000;
/** Minimum interval between two scans of all online agents, however many time out together. */
const LOOK_EVERY_MS = 250;

/**
 * Notifies once when an agent comes online and once when it goes offline. Code that depends on whether an agent is
 * online derives that from its record and the time; this class only detects the moment of the change.
 */
export class OnlineWatch {
  /** When each agent that was last reported online was last seen, with its id as it was spelt, by the key of that. */
  private readonly online = new Map<string, { agentId: string; lastSeenMs: number }>();
  private look: { dueMs: number; cancel: () => void } | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly tell: (agentId: string, isOnline: boolean) => void,
  ) {}

  /** Restores the agents that are already online at startup, without a notification. */
  resume(agents: Iterable<{ agent_id: string; last_seen_ms: number }>): void {
    for (const { agent_id, last_seen_ms } of agents) {
      this.online.set(agentKey(agent_id), { agentId: agent_id, lastSeenMs: last_seen_ms });
      this.scheduleCheck(last_seen_ms + ONLINE_MS);
    }
  }

  /**
   * Records that the agent was seen at `ms`, less than `ONLINE_SECONDS` ago. An agent that has set itself away is
   * offline nevertheless.
   */
  note(agentId: string, ms: number, isAway: boolean): void {
    const key = agentKey(agentId);
    const was = this.online.has(key);
    if (isAway) this.online.delete(key);
    else {
      this.online.set(key, { agentId, lastSeenMs: ms });
      this.scheduleCheck(ms + ONLINE_MS);
    }
    if (was === isAway) this.tell(agentId, !isAway);
  }

  /** When the agent goes offline unless it is seen again, in epoch milliseconds. 0 when it is offline. */
  onlineUntilMs(agentId: string): number {
    const lastSeenMs = this.online.get(agentKey(agentId))?.lastSeenMs;
    const isStill = lastSeenMs !== undefined && isOnline({ lastSeenMs, card: null }, this.clock.now());
    return isStill ? lastSeenMs + ONLINE_MS : 0;
  }

  /** Stops tracking a removed agent. No further notification is sent for it. */
  forget(agentId: string): void {
    this.online.delete(agentKey(agentId));
  }

  stop(): void {
    this.look?.cancel();
    // It would count as one that is due, and an agent that is resumed would never be looked at.
    this.look = undefined;
    this.online.clear();
  }

  /** Ensures that a scan runs at `dueMs` or earlier. */
  private scheduleCheck(dueMs: number): void {
    if (this.look && this.look.dueMs <= dueMs) return;
    this.look?.cancel();
    const inMs = Math.min(ONLINE_MS, Math.max(LOOK_EVERY_MS, dueMs - this.clock.now()));
    this.look = { dueMs, cancel: this.clock.after(inMs, () => this.checkRegistrations()) };
  }

  private checkRegistrations(): void {
    this.look = undefined;
    const now = this.clock.now();
    let next = Number.POSITIVE_INFINITY;
    for (const [key, { agentId, lastSeenMs }] of this.online) {
      if (isOnline({ lastSeenMs, card: null }, now)) next = Math.min(next, lastSeenMs + ONLINE_MS);
      else {
        this.online.delete(key);
        this.tell(agentId, false);
      }
    }
    if (next < Number.POSITIVE_INFINITY) this.scheduleCheck(next);
  }
}
