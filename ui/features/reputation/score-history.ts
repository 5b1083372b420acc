import type { Dims, Proof, ReportRules, SignedReport } from '../../../daemon/contract/network/reputation.js';

type WeighedReport = Pick<SignedReport, 'reporter' | 'proof' | 'dims' | 'filed_at'>;
type Rules = Pick<
  ReportRules,
  'weights' | 'reporter_weight_max' | 'unbound_weight_max' | 'half_life_days' | 'dimension_weights'
>;

const DAY_SECONDS = 86_400;

/** Returns the weight of a report at `asOf` (epoch seconds) before any cap. It halves with every half-life. */
export function computeDecayedWeight(
  { proof, filed_at }: Pick<WeighedReport, 'proof' | 'filed_at'>,
  asOf: number,
  rules: Rules,
): number {
  const { proven, bound, unbound } = rules.weights;
  const full = { receipt: proven, payment: proven, bound, unbound }[proof] ?? unbound;
  return full * 2 ** (-Math.max(0, asOf - filed_at) / (rules.half_life_days * DAY_SECONDS));
}

/**
 * Computes the score at `asOf` by the public rule from the reports up to then; null when they have no ratings. Spec:
 * Reputation report.
 */
export function scoreAt(reports: readonly WeighedReport[], asOf: number, rules: Rules): number | null {
  const ofReporter = new Map<string, number>();
  const weights = reports.map((report) => {
    const weight = computeDecayedWeight(report, asOf, rules);
    ofReporter.set(report.reporter, (ofReporter.get(report.reporter) ?? 0) + weight);
    return weight;
  });
  let unbound = 0;
  reports.forEach(({ reporter, proof }, at) => {
    const total = ofReporter.get(reporter) ?? 0;
    if (total > rules.reporter_weight_max) weights[at] = ((weights[at] ?? 0) * rules.reporter_weight_max) / total;
    if (proof === 'unbound') unbound += weights[at] ?? 0;
  });
  const unboundScale = unbound > rules.unbound_weight_max ? rules.unbound_weight_max / unbound : 1;
  let sum = 0;
  let of = 0;
  for (const [dimension, share] of Object.entries(rules.dimension_weights)) {
    let value = 0;
    let weight = 0;
    reports.forEach(({ proof, dims }, at) => {
      const said = dims[dimension as keyof Dims];
      if (said === undefined) return;
      const counts = (weights[at] ?? 0) * (proof === 'unbound' ? unboundScale : 1);
      value += said * counts;
      weight += counts;
    });
    if (weight === 0) continue;
    sum += (value / weight) * share;
    of += share;
  }
  return of === 0 ? null : sum / of;
}

/** The score directly after a report. */
export interface ScorePoint {
  seq: number;
  /** Epoch seconds. */
  at: number;
  score: number | null;
  proof: Proof;
}

/** Computes the score after each report. `log` must begin with the first report. */
export function scoreHistory(log: readonly SignedReport[], rules: Rules): ScorePoint[] {
  return log.map(({ seq, filed_at, proof }, at) => ({
    seq,
    at: filed_at,
    proof,
    score: scoreAt(log.slice(0, at + 1), filed_at, rules),
  }));
}

export interface Chart {
  /** Path of the step line, in a field of 100 × 100. */
  line: string;
  dots: { seq: number; x: number; y: number; isProven: boolean }[];
}

/** With more dots than this, none are drawn. */
const DOTS_MAX = 80;

const round = (value: number) => Math.round(value * 100) / 100;

/** Converts a history to a step line from its first report to `until`; undefined without a score. */
export function createChart(points: readonly ScorePoint[], until: number): Chart | undefined {
  const known = points.flatMap(({ score, ...point }) => (score === null ? [] : [{ ...point, score }]));
  const first = known[0];
  if (!first) return undefined;
  const end = Math.max(until, known.at(-1)?.at ?? until);
  const span = Math.max(1, end - first.at);
  const placed = known.map(({ seq, at, score, proof }) => ({
    seq,
    x: round(((at - first.at) / span) * 100),
    y: round((1 - score) * 100),
    isProven: proof === 'receipt' || proof === 'payment',
  }));
  const line = placed.map(({ x, y }, at) => (at === 0 ? `M${x} ${y}` : `H${x}V${y}`)).join('');
  return { line: `${line}H100`, dots: placed.length > DOTS_MAX ? [] : placed };
}
