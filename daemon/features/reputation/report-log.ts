import { isDeepStrictEqual } from 'node:util';
import {
  DIMENSIONS,
  type Dims,
  ReportBody,
  type ReportRules,
  SIGNATURE_WINDOW_SECONDS,
  type SignedReport,
} from '../../contract/network/reputation.js';
import { agentKey } from '../../lib/agents/agent-id.js';
import { checkMeshSig } from '../../lib/crypto/mesh-sig.js';
import { verifyReceipt } from '../../lib/crypto/receipt.js';
import { getErrorMessage } from '../../lib/errors.js';
import { hasForm } from '../../shared-log/has-form.js';
import { computeDims } from './report-dims.js';
import { computeScoreEvidence, getProofWeight, type ScoreEvidence } from './score-evidence.js';

/** A log entry that is inconsistent, and why. */
interface LogProblem {
  seq: number;
  said: string;
}

/** The report in a signed body, or undefined when the body is no valid report. */
export function parseReport(body: string): ReportBody | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return hasForm(ReportBody, value) ? (value as ReportBody) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the signed request is a report about `agentId`. */
export function isAbout(agentId: string, { method, path }: Pick<SignedReport, 'method' | 'path'>): boolean {
  const [, id] = /^\/v1\/agents\/(.+)\/feedback$/.exec(path) ?? [];
  try {
    return method === 'POST' && id !== undefined && agentKey(decodeURIComponent(id)) === agentKey(agentId);
  } catch {
    return false;
  }
}

function areSame(a: Dims, b: Dims): boolean {
  return isDeepStrictEqual(
    DIMENSIONS.map((dimension) => a[dimension]),
    DIMENSIONS.map((dimension) => b[dimension]),
  );
}

/**
 * Verifies a log of reports about one agent from the log alone: each report was signed by its reporter, is about this
 * agent, was filed when it was signed and has a unique nonce; its dimensions and weight follow from the signed body and
 * the proof; each receipt was issued by a known daemon and is used once. The log cannot prove that a key was bound,
 * that a payment settled, or which agent the member of a receipt is; these are statements of the bureau.
 */
class ReportLogCheck {
  readonly problems: LogProblem[] = [];
  private readonly nonces = new Set<string>();
  private readonly receipts = new Set<string>();
  private last = 0;

  constructor(
    private readonly agentId: string,
    private readonly rules: Pick<ReportRules, 'known_daemons'>,
  ) {}

  /** Adds the next report. Reports must be added in the order of the log. */
  add(row: SignedReport): void {
    const problem = (message: string) => void this.problems.push({ seq: row.seq, said: message });
    if (row.seq <= this.last) problem('it is out of order');
    this.last = row.seq;
    if (!isAbout(this.agentId, row)) problem('what was signed is no report about this agent');
    try {
      checkMeshSig({ pubkey: row.reporter, ts: row.ts, nonce: row.nonce, sig: row.sig }, row, row.ts * 1000);
    } catch (error) {
      problem(getErrorMessage(error));
    }
    // `filed_at` is truncated to whole seconds.
    if (Math.abs(row.filed_at - row.ts) > SIGNATURE_WINDOW_SECONDS + 1) problem('it was not filed when it was signed');
    const nonce = `${row.reporter} ${row.nonce}`;
    if (this.nonces.has(nonce)) problem('its nonce was used before');
    this.nonces.add(nonce);
    if (row.weight !== getProofWeight(row.proof))
      problem(`it weighs ${row.weight} where its proof gives ${getProofWeight(row.proof)}`);
    const report = parseReport(row.body);
    if (!report) {
      problem('what was signed is no report');
      return;
    }
    try {
      if (!areSame(computeDims(report), row.dims)) problem('its dimensions are not those that were signed');
    } catch (error) {
      problem(getErrorMessage(error));
    }
    if (row.proof === 'payment' && report.payment === undefined) problem('it names no payment');
    if (row.proof === 'receipt') this.checkReceipt(report.receipt, problem);
  }

  private checkReceipt(receipt: unknown, problem: (said: string) => void): void {
    const { valid, pubkey } = verifyReceipt(receipt);
    if (!valid || pubkey === null) {
      problem('its receipt is not valid');
      return;
    }
    if (!this.rules.known_daemons.includes(pubkey)) problem('its receipt is by no known daemon');
    const name = `${pubkey} ${(receipt as { request_id: string }).request_id}`;
    if (this.receipts.has(name)) problem('its receipt was used before');
    this.receipts.add(name);
  }
}

/** Recomputes the score at `asOf` from `reports`, the log up to that time, and returns the problems found in them. */
export function recompute(
  agentId: string,
  reports: readonly SignedReport[],
  rules: Pick<ReportRules, 'known_daemons'>,
  asOf: number,
): { standing: ScoreEvidence; problems: LogProblem[] } {
  const check = new ReportLogCheck(agentId, rules);
  for (const report of reports) check.add(report);
  return { standing: computeScoreEvidence(reports, asOf), problems: check.problems };
}
