import type { Receipt } from '../../contract/asks.js';
import type { FileReport } from '../../contract/commands/reputation.js';
import { LIST_LIMIT_DEFAULT } from '../../contract/limits.js';
import {
  type Dims,
  REPORT_BODY_LIMIT,
  type ReportBody,
  type ReportFiled,
  type ReportLog,
  type Reputation as ReputationRecord,
} from '../../contract/network/reputation.js';
import type { PageQuery } from '../../contract/shared/paging.js';
import type { Bus } from '../../events/bus.js';
import { agentKey } from '../../lib/agents/agent-id.js';
import type { MeshSignature, SignedRequest } from '../../lib/crypto/mesh-sig.js';
import { verifyReceipt } from '../../lib/crypto/receipt.js';
import { MeshError } from '../../lib/errors.js';
import type { Clock } from '../../lib/time/clock.js';
import type { SharedChanges } from '../../shared-log/command-kinds.js';
import type { IdempotencyKey } from '../../storage/database/idempotency.js';
import {
  type FiledReport,
  notRegistered,
  type ReportCommands,
  type ReportedAgents,
  selfReport,
  tooLarge,
} from './report-commands.js';
import { computeDims } from './report-dims.js';
import type { LoggedReport, ReputationStore } from './reputation-store.js';
import { computeScoreEvidence, creditScore, reportRules, type ScoreEvidence } from './score-evidence.js';

export interface ReputationPorts {
  /**
   * Whether `pubkey` belongs to the agent without being bound to it: this daemon's own key, for the members that
   * it hosts.
   */
  isOwnKey(agentId: string, pubkey: string): boolean;
  /** Whether a receipt with a valid signature was issued by this daemon for an answer of that agent. */
  isAnswerFrom(agentId: string, receipt: Receipt): boolean;
  /** The public key of this daemon, which signs its receipts. */
  pubkey: string;
  /**
   * Whether this daemon itself knows that a payment to the agent has settled and that the reporter may use it as proof.
   */
  isSettled: (payment: NonNullable<ReportBody['payment']>, agentId: string, reporter: string) => Promise<boolean>;
  /** The counts that agent search keeps for the agent. */
  counts(agentId: string): { message_through_count: number; impression_count: number };
}

/** The signer of a report and the exact request that was signed. */
type Signed = MeshSignature & { request: SignedRequest };

interface ReputationParts {
  store: ReputationStore;
  agents: ReportedAgents;
  commands: ReportCommands;
  shared: SharedChanges;
  bus: Bus;
  clock: Clock;
  ports: ReputationPorts;
}

/** The score computed at `asOf` from the first `reports` reports. */
interface Snapshot {
  standing: ScoreEvidence;
  asOf: number;
  reports: number;
  /** Further reports were filed within the same second and are not included. */
  isBehind: boolean;
}

/** Maximum age of a cached score for ranking while a cap binds, in seconds. */
const UNSTEADY_FOR_SECONDS = 60;
/** The score of a log with more reports than this is computed at most once a second while reports are filed. */
const LONG_LOG = 5000;
const LOGS_KEPT = 200;
const SCORES_KEPT = 100_000;

/**
 * The reputation bureau: a log of reports that callers sign about suppliers, and the score that anyone can compute
 * from it.
 *
 * The weight of a report depends on its proof. A receipt exists only for an answered ask and is only sent to holders of
 * the member's token and the request id, so the first caller that presents it was served. Afterwards it is in the
 * public log and proves nothing more. Only receipts of the daemon that hosts the supplier count, and credit rests on
 * those of this daemon alone, since any other could sign any number of its own. A settled payment also counts once. A
 * bound key implies a registration that its owner can lose. Unbound keys are free, so all of them together weigh at
 * most as much as one report of a bound key. The daemons of a network share the log. Spec: Reputation report; contract:
 * Reputation and signatures.
 */
export class Reputation {
  /** Reports about recently used agents, each list in the order of the log. */
  private readonly reports = new Map<string, LoggedReport[]>();
  /** The agents with any reports, by `agentKey`. Loaded on first use. */
  private reported: Set<string> | undefined;
  private readonly snapshots = new Map<string, Snapshot>();

  constructor(private readonly parts: ReputationParts) {
    parts.shared.kinds.define(parts.commands.kinds);
    this.follow();
  }

  /**
   * Files a signed report about `agentId` and returns the resulting score. Durable before the promise resolves. A proof
   * that is invalid or already used leaves the report with the weight of its key. Throws `not_found` for an unknown
   * agent, `self_report` for a report about oneself, `bad_request`, `too_large` above 8 KiB, `bad_signature` for a
   * nonce that was used before, `forbidden` when the key is bound to an agent of another daemon,
   * `idempotency_mismatch`, and `overloaded` when keys that no agent has bound filed too many lately. A repeat with the
   * same key returns the first result and files nothing. Publishes `reputation.filed`.
   */
  async file(agentId: string, report: ReportBody, signed: Signed, key?: IdempotencyKey): Promise<ReportFiled> {
    const supplier = this.parts.agents.findAgent(agentId);
    if (supplier === undefined) throw notRegistered();
    const { request, ...signature } = signed;
    const { pubkey } = signature;
    if (Buffer.byteLength(request.body) > REPORT_BODY_LIMIT) throw tooLarge();
    if (this.parts.ports.isOwnKey(supplier, pubkey)) throw selfReport();
    computeDims(report);
    const filed = await this.parts.shared.log.submit<FiledReport>('reputation.file', supplier, {
      ...{ request, signature, key: key ?? null },
      proofs: await this.verifyProofs(report, supplier, pubkey),
    });
    const { score, dims } = this.scoreWith(filed);
    return { ok: true, score: score as number, dims: allDims(dims) };
  }

  /** Returns an agent's current score. Throws `not_found` for an agent that is not registered and has no reports. */
  of(agentId: string): ReputationRecord {
    const supplier = this.parts.agents.findAgent(agentId);
    if (supplier === undefined && this.listReports(agentId).length === 0) throw notRegistered();
    const now = this.nowSeconds();
    const known = this.snapshots.get(agentKey(agentId));
    const { standing: evidence, asOf: as_of, reports } = known?.asOf === now ? known : this.takeSnapshot(agentId, now);
    const { score, dims } = evidence;
    return {
      agent_id: supplier ?? this.parts.store.list(agentId, 0, 1)[0]?.agent_id ?? agentId,
      score,
      dims,
      reports,
      ...this.parts.ports.counts(supplier ?? agentId),
      status: score === null ? 'not_yet_rated' : 'rated',
      as_of,
    };
  }

  /**
   * An agent's score, or null without reports. Cached: its decay lags by a minute at most. A new report is included
   * immediately, or within a second for a long log.
   */
  getScore(agentId: string): number | null {
    this.reported ??= new Set(this.parts.store.listReported());
    if (!this.reported.has(agentKey(agentId))) return null;
    const now = this.nowSeconds();
    const known = this.snapshots.get(agentKey(agentId));
    const age = known === undefined ? -1 : now - known.asOf;
    const isGood =
      known && age >= 0 && !(known.isBehind && age > 0) && (known.standing.isSteady || age <= UNSTEADY_FOR_SECONDS);
    return (isGood ? known : this.takeSnapshot(agentId, now)).standing.score;
  }

  /**
   * The score that decides whether an agent may owe money. It rests on the proofs that this daemon has verified itself.
   * Null while it has too little score evidence.
   */
  getCredit(agentId: string): number | null {
    this.reported ??= new Set(this.parts.store.listReported());
    if (!this.reported.has(agentKey(agentId))) return null;
    const proven = this.listReports(agentId).flatMap(({ own_proof: proof, ...report }) =>
      proof === null ? [] : { ...report, proof },
    );
    return creditScore(proven, this.nowSeconds());
  }

  /**
   * A page of the signed log, oldest first. Throws `not_found` under the same condition as `of`, `bad_request` for an
   * invalid cursor.
   */
  log(agentId: string, query: PageQuery): ReportLog {
    if (this.parts.agents.findAgent(agentId) === undefined && this.listReports(agentId).length === 0)
      throw notRegistered();
    const limit = query.limit ?? LIST_LIMIT_DEFAULT;
    const after = Number(query.cursor ?? 0);
    if (!Number.isSafeInteger(after) || after < 0) {
      throw new MeshError('bad_request', '"cursor" must be the next_cursor of an earlier page.', {
        details: { path: 'cursor' },
      });
    }
    const rows = this.parts.store.list(agentId, after, limit + 1);
    const reports = rows.slice(0, limit);
    const last = reports.at(-1);
    return {
      reports,
      count: reports.length,
      next_cursor: rows.length > limit && last ? String(last.seq) : null,
      rules: reportRules([...new Set([this.parts.ports.pubkey, ...this.parts.shared.owners.listKeys()])]),
    };
  }

  /** Drops what is kept in memory about an agent whose reports were deleted, or may have been. */
  forget(agentId: string): void {
    const key = agentKey(agentId);
    this.reports.delete(key);
    this.snapshots.delete(key);
    if (this.listReports(key).length === 0) this.reported?.delete(key);
  }

  /** The proofs of a report that are valid, as far as this daemon knows. */
  private async verifyProofs({ receipt, payment }: ReportBody, supplier: string, reporter: string) {
    const proofs: FileReport['proofs'] = [];
    if (
      receipt !== undefined &&
      verifyReceipt(receipt).valid &&
      this.parts.ports.isAnswerFrom(supplier, receipt as Receipt)
    )
      proofs.push('receipt');
    if (payment !== undefined && (await this.parts.ports.isSettled(payment, supplier, reporter)))
      proofs.push('payment');
    return proofs;
  }

  /** Sets what follows a report on each daemon: what is kept in memory, and the event. */
  private follow(): void {
    const { bus, shared } = this.parts;
    const { kinds } = shared;
    kinds.onApplied<FiledReport>('reputation.file', ({ agent_id, report, isNew }) => {
      if (!isNew) return;
      this.addNewest(agentKey(agent_id));
      bus.publish('reputation.filed', { agent_id, report });
    });
    kinds.onReplaced(() => {
      this.reports.clear();
      this.snapshots.clear();
      this.reported = undefined;
    });
  }

  private addNewest(key: string): void {
    this.reported?.add(key);
    const reports = this.reports.get(key);
    if (reports) for (const report of this.readReports(key, reports.at(-1)?.seq ?? 0)) reports.push(report);
    const known = this.snapshots.get(key);
    if (!known) return;
    // A long log is computed at most once a second while reports are filed.
    if (known.reports > LONG_LOG && known.asOf === this.nowSeconds()) known.isBehind = true;
    else this.snapshots.delete(key);
  }

  private readReports(key: string, afterSeq: number): LoggedReport[] {
    const { store, shared } = this.parts;
    return store.listWeighed(key, { afterSeq, self: shared.owners.self });
  }

  private nowSeconds(): number {
    return Math.floor(this.parts.clock.now() / 1000);
  }

  private listReports(agentId: string): LoggedReport[] {
    const key = agentKey(agentId);
    const known = this.reports.get(key);
    if (known) return known;
    const loaded = this.readReports(key, 0);
    this.reports.set(key, loaded);
    if (this.reports.size > LOGS_KEPT) this.reports.delete(this.reports.keys().next().value as string);
    return loaded;
  }

  /**
   * The score as it was when the report was filed. For a new report in a long log, this is the snapshot taken earlier
   * within the same second.
   */
  private scoreWith({ agent_id, report, isNew }: FiledReport): ScoreEvidence {
    const reports = this.listReports(agent_id);
    const known = this.snapshots.get(agentKey(agent_id));
    if (isNew && reports.length > LONG_LOG) return (known ?? this.takeSnapshot(agent_id, this.nowSeconds())).standing;
    const until = reports.filter(({ seq }) => seq <= report);
    const last = until.at(-1);
    // The agent was deregistered in the same moment.
    if (!last) throw notRegistered();
    return computeScoreEvidence(until, last.filed_at);
  }

  private takeSnapshot(agentId: string, asOf: number): Snapshot {
    const reports = this.listReports(agentId);
    return this.keep(agentId, {
      standing: computeScoreEvidence(reports, asOf),
      asOf,
      reports: reports.length,
      isBehind: false,
    });
  }

  private keep(agentId: string, snapshot: Snapshot): Snapshot {
    this.snapshots.set(agentKey(agentId), snapshot);
    if (this.snapshots.size > SCORES_KEPT) this.snapshots.delete(this.snapshots.keys().next().value as string);
    return snapshot;
  }
}

/** Returns all four dimensions; those without a report are null. */
function allDims(dims: Dims): ReportFiled['dims'] {
  const { reliability = null, speed = null, quality = null, settlement = null } = dims;
  return { reliability, speed, quality, settlement };
}
