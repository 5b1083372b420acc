import type { Tier1Card } from '../../contract/network/agents.js';
import { agentKey } from '../../lib/agents/agent-id.js';
import type { Database } from '../../storage/database/database.js';

/** The stored fields of an agent, without when it was last seen. Times are epoch milliseconds. */
export interface AgentRow {
  seq: number;
  agent_id: string;
  description: string | null;
  capabilities: string[];
  card: Tier1Card | null;
  /** Whether a partner registered it. */
  isVerified: boolean;
  registeredMs: number;
}

interface NewAgent extends Omit<AgentRow, 'seq'> {
  key: string;
  rid: string;
  apiKeySha256: Buffer;
}

/** The columns of a row that the directory keeps in memory. */
export interface RegistrationRow {
  seq: number;
  agent_id: string;
  rid: string;
  lastSeenMs: number;
  isAway: boolean;
}

type Row = { seq: number; agent_id: string; description: string | null; capabilities: string; card: string | null } & {
  verified: number;
  registered_ms: number;
};

/** Rows per query where a whole table is read, so that no statement stays open between two pages. */
const PAGE = 500;

/** The durable table of registered agents. Methods that write must be called only by deciders. */
export class HubStore {
  constructor(private readonly database: Database) {}

  get isReadable(): boolean {
    return this.database.state === 'ok';
  }

  /** Whether at least `count` agents are registered. */
  holds(count: number): boolean {
    // A number is never given twice: while fewer were given, none need to be counted.
    const last = this.database.sql('SELECT coalesce(max(seq), 0) FROM hub_agents').pluck().get() as number;
    return last >= count && (this.database.sql('SELECT count(*) FROM hub_agents').pluck().get() as number) >= count;
  }

  /** Inserts the agent and returns its `seq`, or undefined when its id is taken. */
  insert(agent: NewAgent): number | undefined {
    const { changes, lastInsertRowid } = this.database
      .sql(
        `INSERT INTO hub_agents (agent_key, agent_id, rid, api_key_sha256, description, capabilities, card, verified, registered_ms)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (agent_key) DO NOTHING`,
      )
      .run(
        agent.key,
        agent.agent_id,
        agent.rid,
        agent.apiKeySha256,
        agent.description,
        JSON.stringify(agent.capabilities),
        toText(agent.card),
        agent.isVerified ? 1 : 0,
        agent.registeredMs,
      );
    if (changes === 0) return undefined;
    const seq = Number(lastInsertRowid);
    this.putSeen(seq, agent.registeredMs);
    return seq;
  }

  /** The id of an agent by its number. */
  findId(seq: number): string | undefined {
    return this.database.sql('SELECT agent_id FROM hub_agents WHERE seq = ?').pluck().get(seq) as string | undefined;
  }

  /** The id of a registration by the agent's number. */
  findRid(seq: number): string | undefined {
    return this.database.sql('SELECT rid FROM hub_agents WHERE seq = ?').pluck().get(seq) as string | undefined;
  }

  /** The id, as registered, of an agent. */
  findRegisteredId(agentId: string): string | undefined {
    return this.database.sql('SELECT agent_id FROM hub_agents WHERE agent_key = ?').pluck().get(agentKey(agentId)) as
      | string
      | undefined;
  }

  /** Whether the registration exists. */
  isRegistered(seq: number): boolean {
    return this.database.sql('SELECT 1 FROM hub_agents WHERE seq = ?').get(seq) !== undefined;
  }

  find(seq: number): AgentRow | undefined {
    const row = this.database
      .sql(
        'SELECT seq, agent_id, description, capabilities, card, verified, registered_ms FROM hub_agents WHERE seq = ?',
      )
      .get(seq) as Row | undefined;
    return row && toAgent(row);
  }

  /** SHA-256 of the agent's `api_key`. */
  findKeyDigest(seq: number): Buffer | undefined {
    const row = this.database.sql('SELECT api_key_sha256 FROM hub_agents WHERE seq = ?').get(seq);
    return (row as { api_key_sha256: Buffer } | undefined)?.api_key_sha256;
  }

  put({ seq, description, capabilities, card }: Pick<AgentRow, 'seq' | 'description' | 'capabilities' | 'card'>): void {
    this.database
      .sql('UPDATE hub_agents SET description = ?, capabilities = ?, card = ? WHERE seq = ?')
      .run(description, JSON.stringify(capabilities), toText(card), seq);
  }

  /** Records when an existing registration was last seen. */
  putSeen(seq: number, nowMs: number): void {
    this.database
      .sql(
        `INSERT INTO hub_watermarks (agent, last_seen_ms) SELECT seq, ? FROM hub_agents WHERE seq = ?
         ON CONFLICT (agent) DO UPDATE SET last_seen_ms = excluded.last_seen_ms`,
      )
      .run(nowMs, seq);
  }

  /**
   * Deletes the registration and, through cascading foreign keys, everything that refers to it. Channels without
   * members are deleted too.
   */
  remove(seq: number): void {
    this.database.sql('DELETE FROM hub_agents WHERE seq = ?').run(seq);
    this.database.sql('DELETE FROM hub_channels WHERE seq NOT IN (SELECT channel FROM hub_channel_members)').run();
  }

  /** Iterates over every registration in order of registration. */
  *listRegistrations(): Iterable<RegistrationRow> {
    const select = `SELECT seq, agent_id, rid, coalesce(last_seen_ms, registered_ms) AS lastSeenMs, card ->> '$.availability.now' = 0 AS isAway
       FROM hub_agents LEFT JOIN hub_watermarks ON agent = seq WHERE seq > ? ORDER BY seq LIMIT ${PAGE}`;
    for (const row of this.pages<Omit<RegistrationRow, 'isAway'> & { isAway: number | null }>(select)) {
      yield { ...row, isAway: row.isAway === 1 };
    }
  }

  /** Iterates over every agent in order of registration. */
  *agents(): Iterable<AgentRow> {
    const columns = 'seq, agent_id, description, capabilities, card, verified, registered_ms';
    for (const row of this.pages<Row>(`SELECT ${columns} FROM hub_agents WHERE seq > ? ORDER BY seq LIMIT ${PAGE}`))
      yield toAgent(row);
  }

  /**
   * Iterates over the keys of agents after `afterSeq`, in order of registration. With `capability`, only agents that
   * have it; with `words`, only agents whose id, description, capabilities or card contain that text, in any case.
   */
  *keys(afterSeq: number, capability: string | undefined, words: string | undefined): Iterable<string> {
    const where = ['seq > ?'];
    const values: string[] = [];
    if (capability !== undefined) {
      where.push('EXISTS (SELECT 1 FROM json_each(capabilities) WHERE value = ?)');
      values.push(capability);
    }
    if (words !== undefined) {
      where.push(
        "instr(folded(concat_ws(' ', agent_id, description, capabilities, card ->> '$.description', card ->> " +
          "'$.tags', card ->> '$.category')), folded(?)) > 0",
      );
      values.push(words);
    }
    const select = `SELECT seq, agent_key FROM hub_agents WHERE ${where.join(' AND ')} ORDER BY seq LIMIT ${PAGE}`;
    for (const row of this.pages<{ seq: number; agent_key: string }>(select, afterSeq, values)) yield row.agent_key;
  }

  private *pages<T extends { seq: number }>(select: string, afterSeq = 0, values: readonly string[] = []): Iterable<T> {
    for (let after = afterSeq; ; ) {
      const rows = this.database.sql(select).all(after, ...values) as T[];
      yield* rows;
      if (rows.length < PAGE) return;
      after = (rows.at(-1) as T).seq;
    }
  }
}

const toText = (card: Tier1Card | null) => (card === null ? null : JSON.stringify(card));

function toAgent(row: Row): AgentRow {
  return {
    seq: row.seq,
    agent_id: row.agent_id,
    description: row.description,
    capabilities: JSON.parse(row.capabilities) as string[],
    card: row.card === null ? null : (JSON.parse(row.card) as Tier1Card),
    isVerified: row.verified === 1,
    registeredMs: row.registered_ms,
  };
}
