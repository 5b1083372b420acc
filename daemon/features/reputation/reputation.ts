import type { Receipt } from '../../contract/asks.js';
import { LIST_LIMIT_DEFAULT } from '../../contract/limits.js';
import {
  type Proof,
  REPORT_BODY_LIMIT,
  type ReportBody,
  type ReportFiled,
  type ReportLog,
  type ReportsQuery,
  type Reputation as ReputationRecord,
} from '../../contract/reputation.js';
import type { Bus } from '../../events/bus.js';
import { agentKey } from '../../lib/agent-id.js';
import type { Clock } from '../../lib/clock.js';
import { MeshError } from '../../lib/errors.js';
import type { MeshSignature, SignedRequest } from '../../lib/mesh-sig.js';
import { verifyReceipt } from '../../lib/receipt.js';
import type { IdempotencyKey } from '../../storage/idempotency.js';
import { dimsOf } from './report-dims.js';
import type { ReputationStore } from './reputation-store.js';
import { creditScore, reportRules, type Standing, standingOf, type WeighedReport } from './standing.js';

export interface ReputationPorts {
  /** The id, as it was registered, of an agent that is registered on either surface. */
  findAgent(agentId: string): string | undefined;
  /** The agent to which a key is bound now. */
  agentOfKey(pubkey: string): string | undefined;
  /** Whether `pubkey` speaks for the agent itself without being bound to it: this daemon's own key for the members that it hosts. */
  isOwnKey(agentId: string, pubkey: string): boolean;
  /** Whether a receipt with a right signature is by one of `knownDaemons` and about an answer of that agent. */
  isAnswerOf(agentId: string, receipt: Receipt): boolean;
  /** Keys of the daemons whose receipts count. */
  knownDaemons: readonly string[];
  /**
   * Whether a payment to the agent has settled, as far as this daemon knows by itself, and the reporter may rest on
   * it.
   */
  isSettled: (payment: NonNullable<ReportBody['payment']>, agentId: string, reporter: string) => Promise<boolean>;
  /** What the Oracle saw of the agent. */
  counts(agentId: string): { message_through_count: number; impression_count: number };
}

/** Who signed a report, and exactly what. */
export type Signed = MeshSignature & { request: SignedRequest };

/** A proof that a report offers: it counts for the first report that rests on it. */
interface Offer {
  proof: 'receipt' | 'payment';
  key: string;
}

/** What the standing came to at `asOf`, of so many reports. */
interface Snapshot {
  standing: Standing;
  asOf: number;
  reports: number;
  /** Reports were filed since, in the same second. */
  isBehind: boolean;
}

/** How long a score that fades is good enough for ranking. */
const UNSTEADY_FOR_SECONDS = 60;
/** The standing of a log longer than this is computed once a second at most, however fast reports come. */
const LONG_LOG = 5000;
const LOGS_KEPT = 200;
const SCORES_KEPT = 100_000;

/**
 * The reputation bureau: a log of reports that callers sign about suppliers, and the score that anyone can compute from it.
 *
 * What a report weighs rests on what it proves. A receipt is made for an answered ask alone and handed only to whoever holds the member's token and
 * the request's id, so whoever shows it first was served; from then on it stands in the public log and proves nothing more. Only receipts of this
 * bureau's own daemon count: any other supplier could sign itself as many as it likes. A settled payment counts once in the same way. A bound key
 * has at least a registration to lose. Keys that nobody has bound cost nothing, so all of them together weigh no more than one bound key's report.
 * Spec: Reputation report; contract: Reputation and signatures.
 */
export class Reputation {
  /** Of the agents asked about lately, in the order of the log. */
  private readonly reports = new Map<string, WeighedReport[]>();
  /** Who has been reported about at all, by `agentKey`; read when it is first asked for. */
  private reported: Set<string> | undefined;
  private readonly snapshots = new Map<string, Snapshot>();

  constructor(
    private readonly store: ReputationStore,
    private readonly bus: Bus,
    private readonly clock: Clock,
    private readonly ports: ReputationPorts,
  ) {}

  /**
   * Files a signed report about `agentId` and gives the standing that it results in; durable before it resolves. A proof that is not valid, or that an
   * earlier report rests on, leaves the report with what its key weighs. Throws `not_found` for an unknown agent, `self_report` for one about
   * oneself, `bad_request`, `too_large` above 8 KiB, and `idempotency_mismatch`; a repeat under the same key gets the first answer and files nothing.
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
    const dims = dimsOf(report);
    const offers = await this.offersOf(report, supplier, pubkey);
    const nowMs = this.clock.now();
    const filed_at = Math.floor(nowMs / 1000);
    let seq: number | undefined;
    try {
      const answer = await this.store.write<ReportFiled>(key, nowMs, () => {
        const offer = offers.find((one) => !this.store.isSpent(one.key));
        const proof: Proof = offer?.proof ?? (reporterAgent === undefined ? 'unbound' : 'bound');
        const known = this.reportsOf(supplier);
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
      return answer;
    } catch (error) {
      if (seq !== undefined) this.forget(supplier);
      throw error;
    }
  }

  /** An agent's standing now. Throws `not_found` for an agent that is not registered and about which nothing was ever filed. */
  of(agentId: string): ReputationRecord {
    const supplier = this.ports.findAgent(agentId);
    if (supplier === undefined && this.reportsOf(agentId).length === 0)
      throw new MeshError('not_found', 'There is no such agent.');
    const now = Math.floor(this.clock.now() / 1000);
    const known = this.snapshots.get(agentKey(agentId));
    const { standing, asOf: as_of, reports } = known?.asOf === now ? known : this.takenOf(agentId, now);
    const { score, dims } = standing;
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

  /** An agent's score, or null without reports. From memory: it fades with a minute's delay at most, and shows a new report at once. */
  scoreOf(agentId: string): number | null {
    this.reported ??= new Set(this.store.listReported());
    if (!this.reported.has(agentKey(agentId))) return null;
    const now = Math.floor(this.clock.now() / 1000);
    const known = this.snapshots.get(agentKey(agentId));
    const age = known === undefined ? -1 : now - known.asOf;
    const isGood =
      known && age >= 0 && !(known.isBehind && age > 0) && (known.standing.isSteady || age <= UNSTEADY_FOR_SECONDS);
    return (isGood ? known : this.takenOf(agentId, now)).standing.score;
  }

  /** The score by which an agent may owe; null while too little is proven of it. */
  creditOf(agentId: string): number | null {
    this.reported ??= new Set(this.store.listReported());
    if (!this.reported.has(agentKey(agentId))) return null;
    return creditScore(this.reportsOf(agentId), Math.floor(this.clock.now() / 1000));
  }

  /** A page of the signed log, oldest first. Throws `not_found` as `of` does, `bad_request` for a cursor that is none. */
  log(agentId: string, query: ReportsQuery): ReportLog {
    if (this.ports.findAgent(agentId) === undefined && this.reportsOf(agentId).length === 0) {
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

  /** Takes up what an earlier run may have left undone: agents that are on no surface any more are forgotten. */
  async start(): Promise<void> {
    for (const agentId of this.store.listNamed()) await this.agentGone(agentId);
  }

  /**
   * Forgets an agent unless a surface still knows it: the reports about it, and its name in those that it filed. Ids are free again after
   * deregistration, so nobody may inherit what was said of another. Durable before it resolves.
   */
  async agentGone(agentId: string): Promise<void> {
    if (this.ports.findAgent(agentId) !== undefined) return;
    await this.store.forget(agentId);
    this.forget(agentId);
  }

  /** What a report offers as proof, as far as it holds on its own; whether it was used before is asked when it is filed. */
  private async offersOf({ receipt, payment }: ReportBody, supplier: string, reporter: string): Promise<Offer[]> {
    const offers: Offer[] = [];
    if (receipt !== undefined && verifyReceipt(receipt).valid) {
      const { request_id, pubkey } = receipt as Receipt;
      if (this.ports.isAnswerOf(supplier, receipt as Receipt))
        offers.push({ proof: 'receipt', key: `receipt ${pubkey} ${request_id}` });
    }
    if (payment !== undefined && (await this.ports.isSettled(payment, supplier, reporter))) {
      offers.push({ proof: 'payment', key: `payment ${payment.network} ${payment.signature}` });
    }
    return offers;
  }

  /** Takes out of memory what a transaction that failed has left there. */
  private forget(agentId: string): void {
    const key = agentKey(agentId);
    this.reports.delete(key);
    this.snapshots.delete(key);
    if (this.reportsOf(key).length === 0) this.reported?.delete(key);
  }

  private reportsOf(agentId: string): WeighedReport[] {
    const key = agentKey(agentId);
    const known = this.reports.get(key);
    if (known) return known;
    const loaded = this.store.listWeighed(key);
    this.reports.set(key, loaded);
    if (this.reports.size > LOGS_KEPT) this.reports.delete(this.reports.keys().next().value as string);
    return loaded;
  }

  /** The standing when a report has just been added; of a long log, the one that was taken within the same second. */
  private withNewest(agentId: string, asOf: number): Snapshot {
    const known = this.snapshots.get(agentKey(agentId));
    if (known?.asOf !== asOf || this.reportsOf(agentId).length <= LONG_LOG) return this.takenOf(agentId, asOf);
    known.isBehind = true;
    return known;
  }

  private takenOf(agentId: string, asOf: number): Snapshot {
    const reports = this.reportsOf(agentId);
    return this.keep(agentId, { standing: standingOf(reports, asOf), asOf, reports: reports.length, isBehind: false });
  }

  private keep(agentId: string, snapshot: Snapshot): Snapshot {
    this.snapshots.set(agentKey(agentId), snapshot);
    if (this.snapshots.size > SCORES_KEPT) this.snapshots.delete(this.snapshots.keys().next().value as string);
    return snapshot;
  }
}
