import type { AskStore } from './ask-store.js';

/** The median time from ask to answer, and the number of answers that it is the median of. */
export interface UsualLatency {
  medianMs: number;
  answers: number;
}

/** Fewer answers than this say nothing. */
const ANSWERS_MIN = 5;
const ANSWERS_MAX = 100;

/** The usual latency of members, by their last answers to other programs. Read once after each answer. */
export class UsualLatencies {
  private readonly known = new Map<string, UsualLatency | undefined>();

  constructor(private readonly store: Pick<AskStore, 'listLatencies'>) {}

  /** Returns the usual latency of a member; undefined with fewer than 5 answers. */
  of(member: string): UsualLatency | undefined {
    if (!this.known.has(member)) this.known.set(member, computeMedian(this.store.listLatencies(member, ANSWERS_MAX)));
    return this.known.get(member);
  }

  /** Has the latency of a member read again. */
  answered(member: string): void {
    this.known.delete(member);
  }
}

function computeMedian(latencies: readonly number[]): UsualLatency | undefined {
  if (latencies.length < ANSWERS_MIN) return undefined;
  const sorted = [...latencies].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  const upper = sorted[half] as number;
  const medianMs = sorted.length % 2 === 1 ? upper : (upper + (sorted[half - 1] as number)) / 2;
  return { medianMs, answers: sorted.length };
}
