import type { Bounds, Tier } from './goals.js';

/** One value of a drill and its target. */
export interface Measure {
  measure: string;
  value: number | string;
  target: string;
  /** Null when this machine does not permit the measurement. */
  pass: boolean | null;
  /** Further details. */
  said?: string;
  /** The value is a time, which a busy machine can miss. */
  isTime?: true;
}

/** Outcome of a drill: the first measure that fails, otherwise the first that was not run, otherwise the first. */
export interface Outcome extends Measure {
  goal: string;
  drill: string;
  tier: Tier;
  seed: number;
  bounds: Bounds;
  seconds: number;
  measures: readonly Measure[];
  day: string;
  machine: string;
  /** What the last run on an earlier day measured. */
  before?: { day: string; measures: readonly Measure[] };
}

/** Returns the measure that decides the drill, or undefined when nothing was measured. */
export function verdict(measures: readonly Measure[]): Measure | undefined {
  return (
    measures.find(({ pass }) => pass === false) ??
    // A measure that was not run is no pass and takes precedence over those that hold.
    measures.find(({ pass }) => pass === null) ??
    measures[0]
  );
}

/** Returns whether at least one measure failed and all failed measures are times. */
export function missedTimesAlone(measures: readonly Measure[]): boolean {
  const missed = measures.filter(({ pass }) => pass === false);
  return missed.length > 0 && missed.every(({ isTime }) => isTime === true);
}

/** Returns an outcome together with what `old`, an outcome of the same drill, measured on an earlier day. */
export function withBefore(outcome: Outcome, old: Outcome | undefined): Outcome {
  const before = old === undefined || old.day === outcome.day ? old?.before : { day: old.day, measures: old.measures };
  return before === undefined ? outcome : { ...outcome, before };
}

/** Parses a line of standard output as an outcome. Returns undefined when it is none. */
export function outcomeIn(line: string): Outcome | undefined {
  try {
    const value = JSON.parse(line) as Partial<Outcome> | null;
    return value?.goal === undefined || value.measures === undefined ? undefined : (value as Outcome);
  } catch {
    return undefined;
  }
}
