import { agentKey } from '../../lib/agents/agent-id.js';
import type { Clock } from '../../lib/time/clock.js';
import type { OracleStore } from './oracle-store.js';
import type { ResponseCounts } from './ranking.js';

const WRITE_EVERY_MS = 5_000;
/** From this many on, both counts are halved, so that what an agent did lately counts more than what it once did. */
const ASKED_MAX = 200;
const NEVER_ASKED: ResponseCounts = { asked: 0, answered: 0 };

/**
 * How often each agent was asked and answered: by calls that this daemon makes, by asks of its members, and by messages
 * of its members. Counts are in memory and written every few seconds. A crash loses the counts of these seconds.
 */
export class Responses {
  private readonly counts: Map<string, ResponseCounts>;
  private readonly unwritten = new Set<string>();
  private callOff: (() => void) | undefined;

  constructor(
    private readonly store: OracleStore,
    private readonly clock: Clock,
  ) {
    this.counts = store.listResponses();
  }

  /** Counts a question that has its outcome: whether the agent answered. */
  ended(agentId: string, isAnswered: boolean): void {
    this.add(agentId, 1, isAnswered ? 1 : 0);
  }

  /** Counts a question whose answer may follow. */
  asked(agentId: string): void {
    this.add(agentId, 1, 0);
  }

  /** Counts the answer to a question that `asked` has counted. */
  answered(agentId: string): void {
    this.add(agentId, 0, 1);
  }

  of(agentId: string): ResponseCounts {
    return this.counts.get(agentKey(agentId)) ?? NEVER_ASKED;
  }

  /** Forgets a removed agent here. Its stored counts are deleted by `OracleStore.forget`. */
  forget(agentId: string): void {
    this.counts.delete(agentKey(agentId));
    this.unwritten.delete(agentKey(agentId));
  }

  /** Writes the counts that changed. Counts that cannot be written stay in memory. */
  async write(): Promise<void> {
    this.callOff?.();
    this.callOff = undefined;
    const rows = [...this.unwritten].flatMap((key) => {
      const counts = this.counts.get(key);
      return counts ? [[key, counts] as const] : [];
    });
    this.unwritten.clear();
    if (rows.length > 0) await this.store.putResponses(rows).catch(() => undefined);
  }

  private add(agentId: string, asked: number, answered: number): void {
    const key = agentKey(agentId);
    const before = this.counts.get(key) ?? NEVER_ASKED;
    const next = { asked: before.asked + asked, answered: Math.min(before.asked + asked, before.answered + answered) };
    const isFull = next.asked > ASKED_MAX;
    this.counts.set(key, isFull ? { asked: next.asked >> 1, answered: next.answered >> 1 } : next);
    this.unwritten.add(key);
    this.callOff ??= this.clock.after(WRITE_EVERY_MS, () => void this.write());
  }
}
