import { agentKey } from '../../lib/agents/agent-id.js';
import type { Clock } from '../../lib/time/clock.js';
import type { OracleStore } from './oracle-store.js';

const WRITE_EVERY_MS = 5_000;
const WRITE_FROM_AGENTS = 2_000;

/**
 * How often each agent was shown. Counts are kept in memory and written every few seconds, so that no search waits for
 * the disk. A crash loses the counts of these seconds.
 */
export class Impressions {
  private unwritten = new Map<string, number>();
  private writing: Map<string, number> = new Map();
  private callOff: (() => void) | undefined;

  constructor(
    private readonly store: OracleStore,
    private readonly clock: Clock,
  ) {}

  add(agentId: string): void {
    const key = agentKey(agentId);
    this.unwritten.set(key, (this.unwritten.get(key) ?? 0) + 1);
    if (this.unwritten.size >= WRITE_FROM_AGENTS) void this.write();
    else this.callOff ??= this.clock.after(WRITE_EVERY_MS, () => void this.write());
  }

  of(agentId: string): number {
    const key = agentKey(agentId);
    return this.store.impressions(agentId) + (this.writing.get(key) ?? 0) + (this.unwritten.get(key) ?? 0);
  }

  forget(agentId: string): void {
    this.unwritten.delete(agentKey(agentId));
  }

  /**
   * Writes the counts. Counts that cannot be written are dropped; the failure of the store is reported to requests that
   * write to it.
   */
  async write(): Promise<void> {
    this.callOff?.();
    this.callOff = undefined;
    const counts = this.unwritten;
    if (counts.size === 0) return;
    this.unwritten = new Map();
    this.writing = counts;
    await this.store.addImpressions(counts).catch(() => undefined);
    if (this.writing === counts) this.writing = new Map();
  }
}
