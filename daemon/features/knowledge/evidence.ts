import type { Reading } from './question.js';
import type { WeighedTerm } from './ranking.js';
import type { Found } from './search.js';

/** What found passages are worth as an answer, 0 to about 1, and why. */
export interface Evidence {
  strength: number;
  isEnough: boolean;
  /** The question's words that this project does not know. */
  unknown: readonly string[];
}

export const ENOUGH = 0.52;

/**
 * Weighs whether the best passages answer the question at all. What counts: how much of the question (rare words more) stands in the best
 * passage, how much of it within a few lines, how much in its file; and that nothing it names is foreign to the project.
 */
export function weighEvidence(found: Found, reading: Reading): Evidence {
  const { terms } = found;
  const unknown = terms.filter((term) => term.isForeign).map((term) => term.written);
  const best = found.files[0]?.passages[0];
  if (!best || terms.length === 0) return { strength: 0, isEnough: false, unknown };
  const total = terms.reduce((sum, term) => sum + term.weight, 0) || 1;
  const top = found.files.slice(0, 3).flatMap((file) => file.passages.slice(0, 2));
  const coverage = Math.max(...top.map((one) => one.coverage));
  const closeness = Math.max(...top.map((one) => one.closeness));
  const inFile = Math.max(...found.files.slice(0, 3).map((file) => fileCoverage(file.passages.slice(0, 6).map((one) => one.strengths), terms, total)));
  const foreign = terms.filter((term) => term.isForeign).reduce((sum, term) => sum + term.weight, 0) / total;
  const strength = 0.4 * coverage + 0.35 * closeness + 0.25 * inFile - 0.35 * foreign;
  return { strength, isEnough: strength >= ENOUGH && reading.terms.length > 0, unknown };
}

function fileCoverage(rows: readonly (readonly number[])[], terms: readonly WeighedTerm[], total: number): number {
  return terms.reduce((sum, term, index) => sum + term.weight * Math.max(0, ...rows.map((row) => row[index] ?? 0)), 0) / total;
}
