import { agentKey } from '../../lib/agents/agent-id.js';
import type { Database } from '../../storage/database/database.js';
import type { ResponseCounts } from './ranking.js';

/**
 * How often agents were shown, how often a message reached them, and how often they answered. This is all that agent
 * search stores.
 */
export class OracleStore {
  /** The sums that were read since they last changed. */
  private readonly through = new Map<string, number>();

  constructor(private readonly database: Database) {}

  addImpressions(counts: ReadonlyMap<string, number>): Promise<void> {
    return this.database.write(() => {
      const add = this.database.sql(
        'INSERT INTO oracle_impressions (agent_key, shown) VALUES (?, ?) ON CONFLICT (agent_key) DO UPDATE SET ' +
          'shown = shown + excluded.shown',
      );
      for (const [key, count] of counts) add.run(key, count);
    });
  }

  impressions(agentId: string): number {
    const row = this.database.sql('SELECT shown FROM oracle_impressions WHERE agent_key = ?').get(agentKey(agentId)) as
      | { shown: number }
      | undefined;
    return row?.shown ?? 0;
  }

  /**
   * Counts one message of `requester` that reached the agent on `day` (days since the epoch), unless the pair already
   * has `perDay` on that day.
   */
  addMessageThrough(agentId: string, requester: string, day: number, perDay: number): Promise<void> {
    return this.database.write(() => {
      this.through.delete(agentKey(agentId));
      this.database
        .sql(
          `INSERT INTO oracle_messages_through (agent_key, requester_key, day, count) VALUES (?, ?, ?, 1)
           ON CONFLICT (agent_key, requester_key, day) DO UPDATE SET count = count + 1 WHERE count < ?`,
        )
        .run(agentKey(agentId), agentKey(requester), day, perDay);
    });
  }

  messagesThrough(agentId: string): number {
    const key = agentKey(agentId);
    const known = this.through.get(key);
    if (known !== undefined) return known;
    const sql = 'SELECT coalesce(sum(count), 0) AS n FROM oracle_messages_through WHERE agent_key = ?';
    const { n } = this.database.sql(sql).get(key) as { n: number };
    this.through.set(key, n);
    return n;
  }

  /** Returns how often each agent was asked and answered, by `agentKey`. */
  listResponses(): Map<string, ResponseCounts> {
    const rows = this.database.sql('SELECT agent_key, asked, answered FROM oracle_responses').all() as ({
      agent_key: string;
    } & ResponseCounts)[];
    return new Map(rows.map(({ agent_key, asked, answered }) => [agent_key, { asked, answered }]));
  }

  putResponses(rows: readonly (readonly [agentKey: string, counts: ResponseCounts])[]): Promise<void> {
    return this.database.write(() => {
      const put = this.database.sql(
        'INSERT OR REPLACE INTO oracle_responses (agent_key, asked, answered) VALUES (?, ?, ?)',
      );
      for (const [key, { asked, answered }] of rows) put.run(key, asked, answered);
    });
  }

  /**
   * Deletes the counts of a removed agent, so that the next owner of its id starts at zero. Its own messages to other
   * agents remain counted, without its name.
   */
  forget(agentId: string): Promise<void> {
    const key = agentKey(agentId);
    return this.database.write(() => {
      this.through.delete(key);
      this.database.sql('DELETE FROM oracle_responses WHERE agent_key = ?').run(key);
      this.database.sql('DELETE FROM oracle_impressions WHERE agent_key = ?').run(key);
      this.database.sql('DELETE FROM oracle_messages_through WHERE agent_key = ?').run(key);
      this.database
        .sql(
          `INSERT INTO oracle_messages_through (agent_key, requester_key, day, count)
           SELECT agent_key, '', day, count FROM oracle_messages_through WHERE requester_key = ?
           ON CONFLICT (agent_key, requester_key, day) DO UPDATE SET count = count + excluded.count`,
        )
        .run(key);
      this.database.sql('DELETE FROM oracle_messages_through WHERE requester_key = ?').run(key);
    });
  }
}
