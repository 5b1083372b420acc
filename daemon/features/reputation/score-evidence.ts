import {
  CREDIT_EVIDENCE,
  DIMENSION_WEIGHTS,
  DIMENSIONS,
  type Dims,
  type Proof,
  REPORT_HALF_LIFE_DAYS,
  REPORT_WEIGHTS,
  REPORTER_WEIGHT_MAX,
  type ReportRules,
  UNBOUND_WEIGHT_MAX,
} from '../../contract/network/reputation.js';

/** The part of a report that its weight is computed from. Times are epoch seconds. */
export interface WeighedReport {
  reporter: string;
  proof: Proof;
  dims: Dims;
  filed_at: number;
}

export interface ScoreEvidence {
  /** Null without reports. */
  score: number | null;
  dims: Dims;
  /**
   * Whether no cap binds. The score is then constant until the next report, since all reports decay at the same rate.
   */
  isSteady: boolean;
}

const HALF_LIFE_SECONDS = REPORT_HALF_LIFE_DAYS * 86_400;

/** The rule in words, as included in the public log. */
const RULE =
  'A report weighs 1 with a receipt or a settled payment, each of which counts once, 0.25 from a key that an ' +
  'agent has bound, 0.05 from any other key; ' +
  'that weight halves every 90 days since filed_at. What one reporter weighs in all is scaled down to 5. What ' +
  'all unbound reports weigh together is then ' +
  'scaled down to 0.25. A dimension is the weighted mean of the reports that name it; the score is the mean of ' +
  'the dimensions by dimension_weights, over ' +
  'those that have reports. A receipt proves that a caller was served when it is by one of known_daemons, ' +
  'about this agent, and was in no earlier report. In a network, a proof counts that the daemon which hosts the ' +
  'agent has verified.';

/**
 * The rules by which anyone can recompute a score from the log. `knownDaemons` are the public keys whose
 * receipts count.
 */
export function reportRules(knownDaemons: readonly string[]): ReportRules {
  return {
    text: RULE,
    weights: { ...REPORT_WEIGHTS },
    reporter_weight_max: REPORTER_WEIGHT_MAX,
    unbound_weight_max: UNBOUND_WEIGHT_MAX,
    half_life_days: REPORT_HALF_LIFE_DAYS,
    dimension_weights: { ...DIMENSION_WEIGHTS },
    known_daemons: [...knownDaemons],
  };
}

/** The weight of a report by its proof alone, before decay and caps. */
export function getProofWeight(proof: Proof): number {
  if (proof === 'receipt' || proof === 'payment') return REPORT_WEIGHTS.proven;
  return REPORT_WEIGHTS[proof];
}

/** Values are rounded to six decimal places, so that the order of floating-point additions is never visible. */
const roundShare = (share: number) => Math.round(share * 1e6) / 1e6;

/**
 * The weight of each report at `asOf`: decayed by its age, capped per reporter, then capped for all unbound
 * reports together.
 */
function weigh(reports: readonly WeighedReport[], asOf: number): { weights: number[]; isSteady: boolean } {
  const ofReporter = new Map<string, number>();
  const weights = reports.map(({ proof, reporter, filed_at }) => {
    const weight = getProofWeight(proof) * 2 ** (-Math.max(0, asOf - filed_at) / HALF_LIFE_SECONDS);
    ofReporter.set(reporter, (ofReporter.get(reporter) ?? 0) + weight);
    return weight;
  });
  let isSteady = true;
  let unbound = 0;
  reports.forEach(({ reporter, proof, filed_at }, i) => {
    const total = ofReporter.get(reporter) as number;
    if (total > REPORTER_WEIGHT_MAX) weights[i] = ((weights[i] as number) * REPORTER_WEIGHT_MAX) / total;
    if (total > REPORTER_WEIGHT_MAX || filed_at > asOf) isSteady = false;
    if (proof === 'unbound') unbound += weights[i] as number;
  });
  if (unbound <= UNBOUND_WEIGHT_MAX) return { weights, isSteady };
  const capped = weights.map((weight, i) =>
    reports[i]?.proof === 'unbound' ? (weight * UNBOUND_WEIGHT_MAX) / unbound : weight,
  );
  return { weights: capped, isSteady: false };
}

/** Whether a report is proven by a receipt or a settled payment rather than by its key alone. */
const isProven = ({ proof }: WeighedReport): boolean => proof === 'receipt' || proof === 'payment';

/**
 * The score by which an agent is given credit. It is computed from proven reports alone and is null while their total
 * weight is too small. Keys are free and agents can praise each other at will; a proof stands for a call that this
 * daemon answered, was paid for, or paid for itself.
 */
export function creditScore(reports: readonly WeighedReport[], asOf: number): number | null {
  const proven = reports.filter(isProven);
  const evidence = weigh(proven, asOf).weights.reduce((sum, weight) => sum + weight, 0);
  return evidence > CREDIT_EVIDENCE ? computeScoreEvidence(proven, asOf).score : null;
}

/**
 * An agent's score at `asOf`, computed from the reports about it in the order of the log. The result is deterministic.
 * A report from the future (after the clock was set back) counts as new. Contract: Reputation and signatures.
 */
export function computeScoreEvidence(reports: readonly WeighedReport[], asOf: number): ScoreEvidence {
  const { weights, isSteady } = weigh(reports, asOf);
  const dims: Dims = {};
  let sum = 0;
  let of = 0;
  for (const dimension of DIMENSIONS) {
    let weighted = 0;
    let weight = 0;
    reports.forEach(({ dims: { [dimension]: value } }, i) => {
      if (value === undefined) return;
      weighted += value * (weights[i] as number);
      weight += weights[i] as number;
    });
    // The weight of very old reports underflows to zero. They are ignored.
    if (weight === 0) continue;
    const mean = weighted / weight;
    dims[dimension] = roundShare(mean);
    sum += mean * DIMENSION_WEIGHTS[dimension];
    of += DIMENSION_WEIGHTS[dimension];
  }
  return { score: of === 0 ? null : roundShare(sum / of), dims, isSteady };
}
