import type { Tier1Card } from '../../contract/network/agents.js';
import type { AvailStatus, CatalogEntry } from '../../contract/network/registry.js';
import { agentKey } from '../../lib/agents/agent-id.js';
import { Conditions } from '../../storage/database/conditions.js';
import type { Database } from '../../storage/database/database.js';
import { toMatchQuery } from '../../storage/database/full-text.js';

/** The stored row of an agent or of an unregistered catalog entry. Spec: Catalog row. */
export interface RegistryRow {
  seq: number;
  agent_id: string;
  /** Identifies the registration of the id. Null for a catalog-only stub. */
  rid: string | null;
  api_key_hash: Buffer | null;
  description: string | null;
  capabilities: string[];
  endpoint: string | null;
  agent_card: Tier1Card | null;
  pubkey: string | null;
  is_verified: boolean;
  /** The value that the agent has set. Null while it is derived. */
  avail_status: AvailStatus | null;
  registered_ms: number | null;
  last_seen_ms: number | null;
  catalog: CatalogEntry | null;
}

export type NewRegistryRow = Omit<RegistryRow, 'seq'>;

/** The columns that a heartbeat needs. */
export interface RegistrationRow {
  seq: number;
  agent_id: string;
  rid: string | null;
  api_key_hash: Buffer | null;
  is_away: number;
}

interface RegistryFilter {
  /**
   * Selects only agents that are not away and whose last sign of life is later than this, in epoch milliseconds, or
   * that are among `seenToo`.
   */
  seenAfterMs?: number | undefined;
  seenToo?: readonly number[];
  registered?: boolean | undefined;
  words?: string | undefined;
  afterSeq: number;
  limit: number;
}

type StoredRow = Record<keyof RegistryRow, unknown>;

const SELECT = 'SELECT * FROM registry_agents LEFT JOIN registry_seen USING (seq)';
const PAGE_ROWS = 500;

/**
 * The unified API's table of agents. Methods whose names begin with `put` or `drop` write and must be called only by
 * deciders of commands; the others only read.
 */
export class RegistryStore {
  constructor(private readonly database: Database) {}

  find(agentId: string): RegistryRow | undefined {
    const row = this.database.sql(`${SELECT} WHERE key = ?`).get(agentKey(agentId)) as StoredRow | undefined;
    return row && toRow(row);
  }

  findStanding(agentId: string): RegistrationRow | undefined {
    return this.database
      .sql('SELECT seq, agent_id, rid, api_key_hash, is_away FROM registry_agents WHERE key = ?')
      .get(agentKey(agentId)) as RegistrationRow | undefined;
  }

  /** The id, as registered, of a registered agent. */
  findRegisteredId(agentId: string): string | undefined {
    const row = this.findStanding(agentId);
    return row && row.rid !== null ? row.agent_id : undefined;
  }

  /** The registration with a number. */
  findRegistration(seq: number): RegistrationRow | undefined {
    return this.database
      .sql('SELECT seq, agent_id, rid, api_key_hash, is_away FROM registry_agents WHERE seq = ? AND rid IS NOT NULL')
      .get(seq) as RegistrationRow | undefined;
  }

  /** The agent to which a key is bound. */
  findByBoundKey(pubkey: string): RegistryRow | undefined {
    const row = this.database.sql(`${SELECT} WHERE pubkey = ? AND is_verified = 1`).get(pubkey) as
      | StoredRow
      | undefined;
    return row && toRow(row);
  }

  /** Returns rows in order of insertion. */
  list({ seenAfterMs, seenToo = [], registered, words, afterSeq, limit }: RegistryFilter): RegistryRow[] {
    const filter = new Conditions()
      .and('seq > ?', afterSeq)
      .and(
        'rid IS NOT NULL AND is_away = 0 AND (last_seen_ms > ? OR seq IN (SELECT value FROM json_each(?)))',
        seenAfterMs,
        JSON.stringify(seenToo),
      );
    if (registered !== undefined) filter.and(registered ? 'rid IS NOT NULL' : 'rid IS NULL');
    const { where, values } = filter.and(
      'seq IN (SELECT rowid FROM registry_text WHERE registry_text MATCH ?)',
      words === undefined ? undefined : toMatchQuery(words),
    );
    const sql = `${SELECT} ${where} ORDER BY seq LIMIT ?`;
    return (this.database.sql(sql).all(...values, limit) as StoredRow[]).map(toRow);
  }

  /** Iterates over every row, read in pages, so that other callers can read and write in between. */
  *all(): Generator<RegistryRow> {
    for (let afterSeq = 0; ; ) {
      const rows = this.list({ afterSeq, limit: PAGE_ROWS });
      yield* rows;
      if (rows.length < PAGE_ROWS) return;
      afterSeq = (rows.at(-1) as RegistryRow).seq;
    }
  }

  /** The agents seen after `ms`, oldest sign of life first. */
  listSeenAfter(ms: number): { agent_id: string; last_seen_ms: number; is_away: number }[] {
    return this.database
      .sql(
        `SELECT agent_id, last_seen_ms, is_away FROM registry_seen JOIN registry_agents USING (seq)
         WHERE last_seen_ms > ? ORDER BY last_seen_ms`,
      )
      .all(ms) as { agent_id: string; last_seen_ms: number; is_away: number }[];
  }

  count(): number {
    return (this.database.sql('SELECT count(*) AS n FROM registry_agents').get() as { n: number }).n;
  }

  /** Inserts a row, or replaces the row with the same id and keeps its `seq`. */
  put(row: NewRegistryRow): void {
    const { seq } = this.database
      .sql(
        `INSERT INTO registry_agents
           (key, agent_id, rid, api_key_hash, description, capabilities, endpoint, agent_card, is_away, pubkey, is_verified, avail_status,
            registered_ms, catalog)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (key) DO UPDATE SET agent_id = excluded.agent_id, rid = excluded.rid, api_key_hash = excluded.api_key_hash,
           description = excluded.description, capabilities = excluded.capabilities, endpoint = excluded.endpoint,
           agent_card = excluded.agent_card, is_away = excluded.is_away, pubkey = excluded.pubkey, is_verified = excluded.is_verified,
           avail_status = excluded.avail_status, registered_ms = excluded.registered_ms, catalog = excluded.catalog
         RETURNING seq`,
      )
      .get(
        agentKey(row.agent_id),
        row.agent_id,
        row.rid,
        row.api_key_hash,
        row.description,
        JSON.stringify(row.capabilities),
        row.endpoint,
        json(row.agent_card),
        row.agent_card?.availability?.now === false ? 1 : 0,
        row.pubkey,
        row.is_verified ? 1 : 0,
        row.avail_status,
        row.registered_ms,
        json(row.catalog),
      ) as { seq: number };
    if (row.last_seen_ms === null) this.database.sql('DELETE FROM registry_seen WHERE seq = ?').run(seq);
    else this.putSeen(seq, row.last_seen_ms);
    this.database.sql('INSERT OR REPLACE INTO registry_text (rowid, words) VALUES (?, ?)').run(seq, listWords(row));
  }

  /** Records a sign of life. */
  putSeen(seq: number, ms: number): void {
    this.database
      .sql(
        'INSERT INTO registry_seen (seq, last_seen_ms) VALUES (?, ?) ON CONFLICT (seq) DO UPDATE SET ' +
          'last_seen_ms = excluded.last_seen_ms',
      )
      .run(seq, ms);
  }

  /** Indexes the text of every row anew, after all rows were replaced. */
  async indexText(): Promise<void> {
    const { database } = this;
    await database.write(() => database.sql("INSERT INTO registry_text (registry_text) VALUES ('delete-all')").run());
    for (let afterSeq = 0; ; ) {
      const rows = this.list({ afterSeq, limit: PAGE_ROWS });
      await database.write(() => {
        const insert = database.sql('INSERT INTO registry_text (rowid, words) VALUES (?, ?)');
        for (const row of rows) insert.run(row.seq, listWords(row));
      });
      if (rows.length < PAGE_ROWS) return;
      afterSeq = (rows.at(-1) as RegistryRow).seq;
    }
  }

  drop(seq: number): void {
    this.database.sql('DELETE FROM registry_text WHERE rowid = ?').run(seq);
    this.database.sql('DELETE FROM registry_agents WHERE seq = ?').run(seq);
  }
}

/** The text of a row that is indexed for search. */
function listWords({ agent_id, description, capabilities, agent_card: card, catalog }: NewRegistryRow): string {
  const ofCard = card ? [card.description ?? '', card.category ?? '', ...(card.tags ?? [])] : [];
  const ofCatalog = catalog ? [catalog.name, catalog.description, ...catalog.tags] : [];
  return [agent_id, description ?? '', ...capabilities, ...ofCard, ...ofCatalog].join('\n');
}

const json = (value: unknown) => (value === null ? null : JSON.stringify(value));
const parsed = <T>(text: unknown) => (text === null ? null : (JSON.parse(String(text)) as T));

function toRow(row: StoredRow): RegistryRow {
  return {
    ...(row as unknown as RegistryRow),
    capabilities: JSON.parse(String(row.capabilities)) as string[],
    agent_card: parsed<Tier1Card>(row.agent_card),
    is_verified: row.is_verified === 1,
    catalog: parsed<CatalogEntry>(row.catalog),
  };
}
