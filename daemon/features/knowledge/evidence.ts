import type { Found } from './search.js';

/** How well the found passages answer the question: a strength from 0 to about 1. */
interface Evidence {
  strength: number;
  isEnough: boolean;
  /** The question's words that do not occur in this project. */
  unknown: readonly string[];
}

const ENOUGH = 0.69;
/** Minimum strength at which a term counts as matched itself, not by a related word. */
const ITSELF = 0.8;

/**
 * Decides whether the best passage answers the question. Considers its score (rare words count more), how much of the
 * question occurs within a few lines and in the question's own words, and whether the question names something foreign
 * to the project. The threshold was calibrated on questions with and without an answer in two code bases; see
 * `scripts/bench/search/answers.ts`.
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
