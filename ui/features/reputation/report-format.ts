import type { Dimension, Dims, Proof, SignedReport } from '../../../daemon/contract/network/reputation.js';

/** Displayed words for the proof of a report. */
export const proofLabels: Record<Proof, string> = {
  receipt: 'receipt',
  payment: 'payment',
  bound: 'known agent',
  unbound: 'unknown key',
};

export const proofMeaning: Record<Proof, string> = {
  receipt: 'a signed receipt proves the service',
  payment: 'a settled payment proves the service',
  bound: 'signed by a key bound to an agent; no proof of service',
  unbound: 'signed by an unknown key',
};

/** In descending order of weight. */
export const DIMENSIONS_SHOWN: readonly Dimension[] = ['reliability', 'quality', 'speed', 'settlement'];

/** Formats ratings as `reliability 1.00, speed 0.82`. */
export const formatDims = (dims: Dims): string =>
  DIMENSIONS_SHOWN.flatMap((dimension) => {
    const value = dims[dimension];
    return value === undefined ? [] : [`${dimension} ${value.toFixed(2)}`];
  }).join(', ');

/** Names the reporter: the agent that the key is bound to, else the beginning of the key. */
export const formatReporter = ({
  reporter,
  reporter_agent_id,
}: Pick<SignedReport, 'reporter' | 'reporter_agent_id'>): string => reporter_agent_id ?? `key ${reporter.slice(0, 8)}…`;

/** Formats a weight with two significant digits: `0.25`, `0.0031`. */
export function formatWeight(weight: number): string {
  if (weight >= 0.01) return weight.toFixed(2);
  return weight > 0.0001 ? weight.toPrecision(2) : 'nothing';
}
