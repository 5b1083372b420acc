import type { Place } from './plain-bm25.js';
import { seededRandom } from './random.js';

/** A question of a set; see `questions/`. */
export interface Asked {
  /** `thread`: asked by a user in public; `paraphrase`: few words in common with the answer; `absent`: not there. */
  kind: 'thread' | 'paraphrase' | 'absent';
  text: string;
  /** Where it was asked. */
  thread?: string;
  /** Of an absent one: whether its words occur in the code base. */
  words?: 'absent' | 'present';
  /** Every place that answers it, the best first. */
  answers: { path: string; lines: [number, number] }[];
}

/** How one question was answered. */
export interface Outcome {
  base: string;
  asked: Asked;
  confidence?: 'found' | 'likely' | 'none';
  /** Places in order. */
  places: readonly Place[];
  ms: number;
}

const hasPath = (asked: Asked, path: string) => asked.answers.some((answer) => answer.path === path);

/** Whether the first of the cited files answers. */
export const isFileFirst = ({ asked, places }: Outcome) => places[0] !== undefined && hasPath(asked, places[0].path);

/** Whether one of the first three cited files answers. */
export function isFileInThree({ asked, places }: Outcome): boolean {
  return [...new Set(places.map(({ path }) => path))].slice(0, 3).some((path) => hasPath(asked, path));
}

/** Whether one of the first three cited places overlaps a labelled range. */
export function isPassageInThree({ asked, places }: Outcome): boolean {
  return places
    .slice(0, 3)
    .some(({ path, startLine, endLine }) =>
      asked.answers.some(
        (answer) => answer.path === path && answer.lines[0] <= endLine && startLine <= answer.lines[1],
      ),
    );
}

interface Share {
  value: number;
  /** The 95 % interval of a bootstrap over the questions. */
  low: number;
  high: number;
  count: number;
}

const RESAMPLES = 1_000;

/** Returns the share of `outcomes` for which `isRight` holds, with its interval. The same on every run. */
export function share(outcomes: readonly Outcome[], isRight: (outcome: Outcome) => boolean): Share {
  return mean(outcomes.map((outcome) => (isRight(outcome) ? 1 : 0)));
}

/** Returns the mean of `values` with its interval. The same on every run. */
export function mean(values: readonly number[]): Share {
  const random = seededRandom(27);
  const means = Array.from({ length: RESAMPLES }, () => {
    let sum = 0;
    for (let index = 0; index < values.length; index += 1) sum += values[Math.floor(random() * values.length)] ?? 0;
    return sum / values.length;
  }).sort((a, b) => a - b);
  const value = values.reduce((sum, one) => sum + one, 0) / values.length;
  return {
    value,
    low: means[Math.floor(RESAMPLES * 0.025)] ?? Number.NaN,
    high: means[Math.floor(RESAMPLES * 0.975)] ?? Number.NaN,
    count: values.length,
  };
}
