import type { Receipt } from '../../contract/asks.js';
import { LIST_LIMIT_DEFAULT } from '../../contract/limits.js';
import {
  type Dims,
  type Proof,
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
import type { IdempotencyKey } from '../../storage/database/idempotency.js';
import { computeDims } from './report-dims.js';
import type { ReputationStore } from './reputation-store.js';
import {
  computeScoreEvidence,
  creditScore,
  reportRules,
  type ScoreEvidence,
  type WeighedReport,
} from './score-evidence.js';

export interface ReputationPorts {
  /** The id, as registered, of an agent that is registered on either surface. */
  findAgent(agentId: string): string | undefined;
  /** The agent to which a key is currently bound. */
  agentOfKey(pubkey: string): string | undefined;
  /**
   * Whether `pubkey` belongs to the agent without being bound to it: this daemon's own key, for the members that
   * it hosts.
   */
  isOwnKey(agentId: string, pubkey: string): boolean;
  /** Whether a receipt with a valid signature was issued by one of `knownDaemons` for an answer of that agent. */
  isAnswerFrom(agentId: string, receipt: Receipt): boolean;
  /** Public keys of the daemons whose receipts count. */
  knownDaemons: readonly string[];
  /**
   * Whether this daemon itself knows that a payment to the agent has settled and that the reporter may use it as proof.
   */
  isSettled: (payment: NonNullable<ReportBody['payment']>, agentId: string, reporter: string) => Promise<boolean>;
  /** The counts that agent search keeps for the agent. */
  counts(agentId: string): { message_through_count: number; impression_count: number };
}

/** The signer of a report and the exact request that was signed. */
type Signed = MeshSignature & { request: SignedRequest };

/** The result of a report, as it is kept for its idempotency key. */
type FiledScore = Omit<ReportFiled, 'dims'> & { dims: Dims };

/** A proof that a report offers. It counts for the first report that uses it. */
interface Offer {
  proof: 'receipt' | 'payment';
  key: string;
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
 * public log and proves nothing more. Only receipts of this bureau's own daemon count, since any other supplier could
 * sign any number of its own. A settled payment also counts once. A bound key implies a registration that its owner can
 * lose. Unbound keys are free, so all of them together weigh at most as much as one report of a bound key. Spec:
 * Reputation report; contract: Reputation and signatures.
 */
export class Reputation {
  /** Reports about recently used agents, each list in the order of the log. */
  private readonly reports = new Map<string, WeighedReport[]>();
  /** The agents with any reports, by `agentKey`. Loaded on first use. */
  private reported: Set<string> | undefined;
  private readonly snapshots = new Map<string, Snapshot>();

  constructor(
    private readonly store: ReputationStore,
    private readonly bus: Bus,
    private readonly clock: Clock,
    private readonly ports: ReputationPorts,
  ) {}

  /**
   * Files a signed report about `agentId` and returns the resulting score. Durable before the promise resolves. A proof
   * that is invalid or already used leaves the report with the weight of its key. Throws `not_found` for an unknown
   * agent, `self_report` for a report about oneself, `bad_request`, `too_large` above 8 KiB, and
   * `idempotency_mismatch`. A repeat with the same key returns the first result and files nothing.
   * Publishes `reputation.filed`.
   */
  async file(agentId: string, report: ReportBody, signed: Signed, key?: IdempotencyKey): Promise<ReportFiled> {
    const supplier = this.ports.findAgent(agentId);
    if (supplier === undefined) throw new MeshError('not_found', 'There is no such agent.');
    const { request, pubkey, ts, nonce, sig } = signed;
    if (Buffer.byteLength(request.body) > REPORT_BODY_LIMIT) {
      throw new MeshError(
        'too_large',
        `A report is at most ${REPORT_BODY_LIMIT} bytes: all of it stands in the public log.`,
      );
    }
    const reporterAgent = this.ports.agentOfKey(pubkey);
    const isOwn = reporterAgent !== undefined && agentKey(reporterAgent) === agentKey(supplier);
    if (isOwn || this.ports.isOwnKey(supplier, pubkey)) {
      throw new MeshError('self_report', 'Nobody reports about themselves: this key is the supplier’s own.');
    }
    const dims = computeDims(report);
    const offers = await this.hasOffered(report, supplier, pubkey);
    const nowMs = this.clock.now();
    const filed_at = Math.floor(nowMs / 1000);
    let seq: number | undefined;
    try {
      const answer = await this.store.write<FiledScore>(key, nowMs, () => {
        const offer = offers.find((one) => !this.store.isSpent(one.key));
        const proof: Proof = offer?.proof ?? (reporterAgent === undefined ? 'unbound' : 'bound');
        const known = this.listReports(supplier);
        seq = this.store.insert(
          {
            agent_id: supplier,
            reporter: pubkey,
            reporter_agent_id: reporterAgent ?? null,
            ts,
            nonce,
            ...request,
            sig,
            dims,
            proof,
            filed_at,
          },
          offer?.key ?? null,
        );
        this.reported?.add(agentKey(supplier));
        known.push({ reporter: pubkey, proof, dims, filed_at });
        const { score, dims: means } = this.withNewest(supplier, filed_at).standing;
        return { ok: true, score: score as number, dims: means };
      });
      if (seq !== undefined) this.bus.publish('reputation.filed', { agent_id: supplier, report: seq });
      return { ...answer, dims: allDims(answer.dims) };
    } catch (error) {
      if (seq !== undefined) this.forget(supplier);
      throw error;
    }
  }

  /** Returns an agent's current score. Throws `not_found` for an agent that is not registered and has no reports. */
  of(agentId: string): ReputationRecord {
    const supplier = this.ports.findAgent(agentId);
    if (supplier === undefined && this.listReports(agentId).length === 0)
      throw new MeshError('not_found', 'There is no such agent.');
    const now = Math.floor(this.clock.now() / 1000);
    const known = this.snapshots.get(agentKey(agentId));
    const { standing: evidence, asOf: as_of, reports } = known?.asOf === now ? known : this.takeSnapshot(agentId, now);
    const { score, dims } = evidence;
    return {
      agent_id: supplier ?? this.store.list(agentId, 0, 1)[0]?.agent_id ?? agentId,
      score,
      dims,
      reports,
      ...this.ports.counts(supplier ?? agentId),
      status: score === null ? 'not_yet_rated' : 'rated',
      as_of,
    };
  }

  /**
   * An agent's score, or null without reports. Cached: its decay lags by a minute at most. A new report is included
   * immediately, or within a second for a long log.
   */
  getScore(agentId: string): number | null {
    this.reported ??= new Set(this.store.listReported());
    if (!this.reported.has(agentKey(agentId))) return null;
    const now = Math.floor(this.clock.now() / 1000);
    const known = this.snapshots.get(agentKey(agentId));
    const age = known === undefined ? -1 : now - known.asOf;
    const isGood =
      known && age >= 0 && !(known.isBehind && age > 0) && (known.standing.isSteady || age <= UNSTEADY_FOR_SECONDS);
    return (isGood ? known : this.takeSnapshot(agentId, now)).standing.score;
  }

  /** The score that decides whether an agent may owe money. Null while it has too little score evidence. */
  getCredit(agentId: string): number | null {
    this.reported ??= new Set(this.store.listReported());
    if (!this.reported.has(agentKey(agentId))) return null;
    return creditScore(this.listReports(agentId), Math.floor(this.clock.now() / 1000));
  }

  /**
   * A page of the signed log, oldest first. Throws `not_found` under the same condition as `of`, `bad_request` for an
   * invalid cursor.
   */
  log(agentId: string, query: PageQuery): ReportLog {
    if (this.ports.findAgent(agentId) === undefined && this.listReports(agentId).length === 0) {
      throw new MeshError('not_found', 'There is no such agent.');
    }
    const limit = query.limit ?? LIST_LIMIT_DEFAULT;
    const after = Number(query.cursor ?? 0);
    if (!Number.isSafeInteger(after) || after < 0) {
      throw new MeshError('bad_request', '"cursor" must be the next_cursor of an earlier page.', {
        details: { path: 'cursor' },
      });
    }
    const rows = this.store.list(agentId, after, limit + 1);
    const reports = rows.slice(0, limit);
    const last = reports.at(-1);
    return {
      reports,
      count: reports.length,
      next_cursor: rows.length > limit && last ? String(last.seq) : null,
      rules: reportRules(this.ports.knownDaemons),
    };
  }

  /**
   * Completes the deletions that an earlier run may have left undone: agents that are on neither surface are forgotten.
   */
  async start(): Promise<void> {
    for (const agentId of this.store.listNamed()) await this.agentGone(agentId);
  }

  /**
   * Forgets an agent unless a surface still lists it: deletes the reports about it and removes its id from those that
   * it filed. An id can be registered again after deregistration, and its new owner must not inherit reports about
   * another agent. Durable before the promise resolves.
   */
  async agentGone(agentId: string): Promise<void> {
    if (this.ports.findAgent(agentId) !== undefined) return;
    await this.store.forget(agentId);
    this.forget(agentId);
  }

  /**
   * The proofs of a report that are valid by themselves. Whether a proof was already used is checked when the report
   * is filed.
   */
  private async hasOffered({ receipt, payment }: ReportBody, supplier: string, reporter: string): Promise<Offer[]> {
    const offers: Offer[] = [];
    if (receipt !== undefined && verifyReceipt(receipt).valid) {
      const { request_id, pubkey } = receipt as Receipt;
      if (this.ports.isAnswerFrom(supplier, receipt as Receipt))
        offers.push({ proof: 'receipt', key: `receipt ${pubkey} ${request_id}` });
    }
    if (payment !== undefined && (await this.ports.isSettled(payment, supplier, reporter))) {
      offers.push({ proof: 'payment', key: `payment ${payment.network} ${payment.signature}` });
    }
    return offers;
  }

  /** Drops the cached state of an agent, for example after a failed transaction. */
  private forget(agentId: string): void {
    const key = agentKey(agentId);
    this.reports.delete(key);
    this.snapshots.delete(key);
    if (this.listReports(key).length === 0) this.reported?.delete(key);
  }

  private listReports(agentId: string): WeighedReport[] {
    const key = agentKey(agentId);
    const known = this.reports.get(key);
    if (known) return known;
    const loaded = this.store.listWeighed(key);
    this.reports.set(key, loaded);
    if (this.reports.size > LOGS_KEPT) this.reports.delete(this.reports.keys().next().value as string);
    return loaded;
  }

  /** The score after a report was added. For a long log, this is the snapshot taken earlier within the same second. */
  private withNewest(agentId: string, asOf: number): Snapshot {
    const known = this.snapshots.get(agentKey(agentId));
    if (known?.asOf !== asOf || this.listReports(agentId).length <= LONG_LOG) return this.takeSnapshot(agentId, asOf);
    known.isBehind = true;
    return known;
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
