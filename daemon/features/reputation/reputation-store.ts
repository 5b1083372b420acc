import { DIMENSIONS, type Dims, type Proof, type SignedReport } from '../../contract/network/reputation.js';
import { agentKey } from '../../lib/agents/agent-id.js';
import type { Database } from '../../storage/database/database.js';
import { type IdempotencyKey, once } from '../../storage/database/idempotency.js';
import { getProofWeight, type WeighedReport } from './score-evidence.js';

type NewReport = Omit<SignedReport, 'seq' | 'weight'>;

type DimColumns = Record<(typeof DIMENSIONS)[number], number | null>;
type WeighedRow = DimColumns & { reporter: string; proof: Proof; filed_at: number };
type LogRow = WeighedRow & Omit<SignedReport, 'dims' | 'weight'>;

const LOG_COLUMNS =
  'seq, agent_id, reporter, reporter_agent_id, ts, nonce, method, path, body, sig, reliability, speed, ' +
  'quality, settlement, proof, filed_at';

function dimsOfRow(row: DimColumns): Dims {
  const dims: Dims = {};
  for (const dimension of DIMENSIONS) {
    const value = row[dimension];
    if (value !== null) dims[dimension] = value;
  }
  return dims;
}

/** The log of signed reports. It is append-only, except that the reports about a removed agent are deleted. */
export class ReputationStore {
  constructor(private readonly database: Database) {}

  /** Runs `change` in a write transaction, at most once per `key` when there is one. Resolves when it is durable. */
  write<T>(key: IdempotencyKey | undefined, nowMs: number, change: () => T): Promise<T> {
    return this.database.write(() => once(this.database, key, nowMs, change));
  }

  /**
   * Adds a report and returns its `seq`. `proofKey` identifies its proof. Must be called inside a write transaction.
   */
  insert(report: NewReport, proofKey: string | null): number {
    const { dims } = report;
    const { lastInsertRowid } = this.database
      .sql(
        `INSERT INTO reputation_reports (agent_key, agent_id, reporter, reporter_agent_id, ts, nonce, method, path, body, sig,
           reliability, speed, quality, settlement, proof, proof_key, filed_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        agentKey(report.agent_id),
        report.agent_id,
        report.reporter,
        report.reporter_agent_id,
        report.ts,
        report.nonce,
        report.method,
        report.path,
        report.body,
        report.sig,
        ...DIMENSIONS.map((dimension) => dims[dimension] ?? null),
        report.proof,
        proofKey,
        report.filed_at,
      );
    return Number(lastInsertRowid);
  }

  /** Whether an earlier report already uses this proof. */
  isSpent(proofKey: string): boolean {
    return this.database.sql('SELECT 1 FROM reputation_reports WHERE proof_key = ?').get(proofKey) !== undefined;
  }

  /** The agents with reports about them, by `agentKey`. */
  listReported(): string[] {
    return (
      this.database.sql('SELECT DISTINCT agent_key FROM reputation_reports').all() as { agent_key: string }[]
    ).map((row) => row.agent_key);
  }

  /** The fields of the reports about an agent that the score is computed from, in the order of the log. */
  listWeighed(agentId: string): WeighedReport[] {
    const rows = this.database
      .sql(
        'SELECT reporter, proof, filed_at, reliability, speed, quality, settlement FROM reputation_reports ' +
          'WHERE agent_key = ? ORDER BY seq',
      )
      .all(agentKey(agentId)) as WeighedRow[];
    return rows.map((row) => ({
      reporter: row.reporter,
      proof: row.proof,
      filed_at: row.filed_at,
      dims: dimsOfRow(row),
    }));
  }

  /** The reports about an agent after `seq`, oldest first. */
  list(agentId: string, afterSeq: number, limit: number): SignedReport[] {
    const rows = this.database
      .sql(`SELECT ${LOG_COLUMNS} FROM reputation_reports WHERE agent_key = ? AND seq > ? ORDER BY seq LIMIT ?`)
      .all(agentKey(agentId), afterSeq, limit) as LogRow[];
    return rows.map(({ reliability, speed, quality, settlement, ...row }) => ({
      ...row,
      dims: dimsOfRow({ reliability, speed, quality, settlement }),
      weight: getProofWeight(row.proof),
    }));
  }

  /**
   * Deletes the reports about an agent and removes its id from the reports that it filed, so that a later owner of the
   * id inherits nothing.
   */
  forget(agentId: string): Promise<void> {
    const key = agentKey(agentId);
    return this.database.write(() => {
      this.database.sql('DELETE FROM reputation_reports WHERE agent_key = ?').run(key);
      this.database
        .sql(
          'UPDATE reputation_reports SET reporter_agent_id = NULL WHERE reporter_agent_id IS NOT NULL AND ' +
            'lower(reporter_agent_id) = ?',
        )
        .run(key);
    });
  }

  /** The ids, as registered, of all agents that reports are about or were filed by. */
  listNamed(): string[] {
    const sql = `SELECT DISTINCT agent_id FROM reputation_reports
      UNION SELECT DISTINCT reporter_agent_id FROM reputation_reports WHERE reporter_agent_id IS NOT NULL`;
    return (this.database.sql(sql).all() as { agent_id: string }[]).map((row) => row.agent_id);
  }
}
