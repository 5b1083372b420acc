import type { TurnRow } from '../turns-store.js';

/**
 * The sessions that a conversation's agents keep, by client, and what each has cost. A session contains all that its
 * agent has read, so turns of other programs use sessions of their own.
 */
export class AgentSessions {
  private readonly values: Record<string, string>;

  /** `stored` is what `toStored` returned. */
  constructor(
    stored: string,
    private readonly client: string,
    private readonly profile: TurnRow['profile'],
  ) {
    this.values = JSON.parse(stored) as Record<string, string>;
  }

  get session(): string | null {
    return this.values[this.key] ?? null;
  }

  /** US dollars. */
  get cost(): number {
    return Number(this.values[this.costKey] ?? 0);
  }

  /** What a session has cost goes with it: another session begins at nothing. */
  keep({ session, cost_usd }: { session: string; cost_usd?: number }): void {
    if (this.values[this.key] !== session) delete this.values[this.costKey];
    this.values[this.key] = session;
    if (cost_usd !== undefined) this.values[this.costKey] = String(cost_usd);
  }

  toStored(): string {
    return JSON.stringify(this.values);
  }

  private get key(): string {
    return this.profile === 'outside' ? `${this.client} outside` : this.client;
  }

  private get costKey(): string {
    return `${this.key} cost`;
  }
}
