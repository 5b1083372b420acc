import type { Bounds, Tier } from './goals.js';

/** One number of a drill, and what it had to be. */
export interface Measure {
  measure: string;
  value: number | string;
  target: string;
  /** Null when this machine does not let it be tried. */
  pass: boolean | null;
  /** What else there is to say. */
  said?: string;
  /** It is a time, which a busy machine can miss. */
  isTime?: true;
}

/** What a drill came to: its first measure, or the first that does not hold. */
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
}

/** What all measures together came to; undefined when nothing was measured. */
export function verdict(measures: readonly Measure[]): Measure | undefined {
  return (
    measures.find(({ pass }) => pass === false) ??
    // What was not tried is no pass, so it is told before those that hold.
    measures.find(({ pass }) => pass === null) ??
    measures[0]
  );
}

/** Whether nothing was missed but times. */
export function missedTimesAlone(measures: readonly Measure[]): boolean {
  const missed = measures.filter(({ pass }) => pass === false);
  return missed.length > 0 && missed.every(({ isTime }) => isTime === true);
}

/** A line of standard output as the outcome it says; undefined when it says none. */
export function outcomeIn(line: string): Outcome | undefined {
  try {
    const value = JSON.parse(line) as Partial<Outcome> | null;
    return value?.goal === undefined || value.measures === undefined ? undefined : (value as Outcome);
  } catch {
    return undefined;
  }
}
