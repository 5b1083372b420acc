import type { Found } from './search.js';

/** What found passages are worth as an answer, 0 to about 1, and why. */
export interface Evidence {
  strength: number;
  isEnough: boolean;
  /** The question's words that this project does not know. */
  unknown: readonly string[];
}

const ENOUGH = 0.69;
/** A term this well met is met by itself, not by a word for something like it. */
const ITSELF = 0.8;

/**
 * Weighs whether the best passage answers the question at all: how well it fits (rare words count more), how much of the question stands
 * within a few of its lines and in its own words, and that nothing the question names is foreign to the project. The measure was set on questions that two
 * code bases answer and ones that they do not; see `scripts/bench/answers.ts`.
 */
export function weighEvidence(found: Found): Evidence {
  const { terms } = found;
  const unknown = terms.filter((term) => term.isForeign).map((term) => term.written);
  const best = found.files[0]?.passages[0];
  if (!best || terms.length === 0) return { strength: 0, isEnough: false, unknown };
  const total = terms.reduce((sum, term) => sum + term.weight, 0) || 1;
  const foreign = terms.filter((term) => term.isForeign).reduce((sum, term) => sum + term.weight, 0) / total;
  const itself =
    terms.reduce((sum, term, index) => sum + ((best.strengths[index] ?? 0) >= ITSELF ? term.weight : 0), 0) / total;
  const strength = best.score + 0.2 * best.closeness + 0.2 * itself - 0.3 * foreign;
  return { strength, isEnough: strength >= ENOUGH, unknown };
}
