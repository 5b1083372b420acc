import { type Dims, type ReportBody, SPEED_BEST_MS, SPEED_WORST_MS } from '../../contract/network/reputation.js';
import { MeshError } from '../../lib/errors.js';

const OUTCOMES = ['success', 'latency_ms', 'quality', 'paid', 'disputed', 'capability'] as const;

const bad = (path: string, message: string) => new MeshError('bad_request', message, { details: { path } });

/** 1 up to a latency of one second, then decreasing linearly to 0 at 30 seconds. */
function computeSpeed(latencyMs: number): number {
  const share = (SPEED_WORST_MS - latencyMs) / (SPEED_WORST_MS - SPEED_BEST_MS);
  return Math.min(1, Math.max(0, share));
}

/**
 * The dimensions of a report: those that it states, or those computed from its outcomes. Settlement is present when the
 * report mentions a payment or a dispute. Throws `bad_request` unless the report is of exactly one of these two kinds
 * and has at least one dimension. Spec: Reputation report.
 */
export function computeDims(report: ReportBody): Dims {
  const outcomes = OUTCOMES.filter((key) => report[key] !== undefined);
  if (report.dims !== undefined) {
    const [first] = outcomes;
    if (first !== undefined)
      throw bad(first, `A report has either "dims" or outcomes, not both: leave out "${first}".`);
    if (Object.keys(report.dims).length === 0)
      throw bad('dims', '"dims" must say something about at least one dimension.');
    return report.dims;
  }
  const { success, latency_ms, quality, paid, disputed } = report;
  if (success === undefined)
    throw bad('success', 'A report has either "dims" or outcomes, of which "success" is required.');
  return {
    reliability: success ? 1 : 0,
    ...(latency_ms === undefined ? {} : { speed: computeSpeed(latency_ms) }),
    ...(quality === undefined ? {} : { quality: (quality - 1) / 4 }),
    ...(paid === undefined && disputed !== true ? {} : { settlement: paid === true && disputed !== true ? 1 : 0 }),
  };
}
