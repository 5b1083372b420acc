import { DIMENSIONS, type Dims, type Proof, type SignedReport } from '../../contract/network/reputation.js';
import { agentKey } from '../../lib/agents/agent-id.js';
import type { Database } from '../../storage/database/database.js';
import { deleteKeysWithPrefix, type IdempotencyKey, onceShared } from '../../storage/database/idempotency.js';
import { getProofWeight, type WeighedReport } from './score-evidence.js';

type NewReport = Omit<SignedReport, 'seq' | 'weight'>;

/** A report of the log, as far as scores need it. */
export interface LoggedReport extends WeighedReport {
  seq: number;
  /** The proof that this daemon has verified itself. */
  own_proof: Proof | null;
}

type DimColumns = Record<(typeof DIMENSIONS)[number], number | null>;
type WeighedRow = DimColumns & Omit<LoggedReport, 'dims'>;
type LogRow = DimColumns & Omit<SignedReport, 'dims' | 'weight'>;

const LOG_COLUMNS =
  'seq, agent_id, reporter, reporter_agent_id, ts, nonce, method, path, body, sig, reliability, speed, ' +
  'quality, settlement, proof, filed_at';

/** What the scopes of idempotency keys begin with that are about reports about one agent. */
const reportKeys = (key: string) => `report ${key} `;

/** The scope of the idempotency keys of a reporter for its reports about one agent. */
export const reportScope = (agentId: string, pubkey: string) => reportKeys(agentKey(agentId)) + pubkey;

function dimsOfRow(row: DimColumns): Dims {
  const dims: Dims = {};
  for (const dimension of DIMENSIONS) {
    const value = row[dimension];
    if (value !== null) dims[dimension] = value;
  }
  return dims;
}

/**
 * The log of signed reports. It is append-only, except that the reports about a removed agent are deleted. Methods that
 * write must be called only by deciders.
 */
export class ReputationStore {
  constructor(private readonly database: Database) {}

  /** Runs `change` at most once per `key` when there is one, and returns what it returned. */
  once<T>(key: IdempotencyKey | undefined, atMs: number, change: () => T): T {
    return onceShared(this.database, key, atMs, change);
  }

  /**
   * Adds a report and returns its `seq`. `seen` is the proof that its sender verified, `key` the name of that proof.
   */
  insert(report: NewReport, { daemon, seen, key }: { daemon: string; seen: Proof | null; key: string | null }): number {
    const { dims } = report;
    const { lastInsertRowid } = this.database
      .sql(
        `INSERT INTO reputation_reports (agent_key, agent_id, reporter, reporter_agent_id, ts, nonce, method, path, body, sig,
           reliability, speed, quality, settlement, proof, proof_key, filed_at, daemon, proof_seen)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
        key && `${daemon} ${key}`,
        report.filed_at,
        daemon,
        seen,
      );
    return Number(lastInsertRowid);
  }

  /**
   * Whether an earlier report of the same sender uses this proof already. What other daemons say of a proof takes
   * nothing from it.
   */
  isSpent(daemon: string, key: string): boolean {
    return (
      this.database
        .sql("SELECT 1 FROM reputation_reports WHERE proof_key = ? OR (proof_key = ? AND daemon = '')")
        .get(`${daemon} ${key}`, key) !== undefined
    );
  }

  /** The number of reports about an agent since `since` that a daemon filed for keys that no agent had bound. */
  countUnbound(agentId: string, daemon: string, since: number): number {
    return this.database
      .sql(
        'SELECT count(*) FROM reputation_reports ' +
          "WHERE agent_key = ? AND daemon = ? AND proof = 'unbound' AND filed_at > ?",
      )
      .pluck()
      .get(agentKey(agentId), daemon, since) as number;
  }

  /** Whether a report about the agent was signed by the reporter with this nonce. */
  hasNonce(agentId: string, reporter: string, nonce: string): boolean {
    return (
      this.database
        .sql('SELECT 1 FROM reputation_reports WHERE agent_key = ? AND reporter = ? AND nonce = ?')
        .get(agentKey(agentId), reporter, nonce) !== undefined
    );
  }

  /** The agents with reports about them, by `agentKey`. */
  listReported(): string[] {
    return (
      this.database.sql('SELECT DISTINCT agent_key FROM reputation_reports').all() as { agent_key: string }[]
    ).map((row) => row.agent_key);
  }

  /**
   * The reports about an agent after `afterSeq`, as far as scores need them, in the order of the log. `self` is the id
   * of this daemon.
   */
  listWeighed(agentId: string, { afterSeq, self }: { afterSeq: number; self: string }): LoggedReport[] {
    const rows = this.database
      .sql(
        'SELECT seq, reporter, proof, filed_at, reliability, speed, quality, settlement, ' +
          "CASE WHEN daemon IN ('', ?) THEN proof_seen END AS own_proof " +
          'FROM reputation_reports WHERE agent_key = ? AND seq > ? ORDER BY seq',
      )
      .all(self, agentKey(agentId), afterSeq) as WeighedRow[];
    return rows.map(({ reliability, speed, quality, settlement, ...row }) => ({
      ...row,
      dims: dimsOfRow({ reliability, speed, quality, settlement }),
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
  forget(agentId: string): void {
    const key = agentKey(agentId);
    this.database.sql('DELETE FROM reputation_reports WHERE agent_key = ?').run(key);
    this.database
      .sql(
        'UPDATE reputation_reports SET reporter_agent_id = NULL WHERE reporter_agent_id IS NOT NULL AND ' +
          'lower(reporter_agent_id) = ?',
      )
      .run(key);
    deleteKeysWithPrefix(this.database, reportKeys(key));
  }
}
