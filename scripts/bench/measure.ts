import { availableParallelism, cpus } from 'node:os';

/** One line of a bench's output: the measure, the peer, and whether the goal is met. */
export interface Measure {
  bench: string;
  measure: string;
  unit: string;
  /** Median over the rounds. */
  ours: number;
  /** Lowest and highest value of a round. */
  min?: number;
  max?: number;
  /** The peer, measured in the same rounds. */
  peer?: { name: string; value: number };
  /** Ratio of ours to the peer's. */
  ratio?: number;
  rounds: number;
  /** The goal in words; absent for a measure that is only reported. */
  goal?: string;
  pass?: boolean;
  /** Whether the table of results shows it although it has no goal. */
  isListed?: boolean;
  machine: string;
}

export const machine = () =>
  `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? 'unknown'}, Node ${process.versions.node}, ` +
  `${process.platform}`;

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

/** Returns the value below which `share` of the values are; NaN without values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const rounded = (value: number, digits = 1) => Number(value.toFixed(digits));

/** Prints one measure as a JSON line. A missed goal makes the bench exit with 1. */
export function report(measure: Omit<Measure, 'machine'>): void {
  console.log(JSON.stringify({ ...measure, machine: machine() }));
  if (measure.pass === false) process.exitCode = 1;
}
