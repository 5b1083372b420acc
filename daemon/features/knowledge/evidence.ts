import type { TraceEvidence } from '../../contract/answer-trace.js';
import type { Confidence } from '../../contract/asks.js';
import type { Reading } from './question.js';
import { type Ranked, sumWeights, type WeighedTerm } from './ranking.js';
import type { Found } from './search.js';

/** Minimum strength at which a term counts as present. */
const PRESENT = 0.5;
/** Minimum strength at which a code name counts as present itself. */
const ITSELF = 0.9;
const NAMES_MAX = 2;
const COVERAGE_MIN = 0.15;
/** With a smaller part of its words known, a question is about something else. */
const KNOWN_MIN = 0.45;
/** The closeness from which on it counts. */
const TOGETHER = 0.7;
/** How much a rare word tells that is no technology's name: many are misspelled, or of the asker's own surroundings. */
const RARE_TELLS = 0.55;
/** One or two words that stand together say little about what is asked. */
const TOGETHER_TERMS_MIN = 3;

/** The decision, and what it rests on; undefined grounds when there is no passage. */
interface WeighedEvidence {
  confidence: Confidence;
  grounds?: TraceEvidence;
}

/**
 * Decides whether the best passage answers the question, probably does, or does not. Both decisions are logistic
 * regressions on a few features. Their weights were fitted to the answers about the open half of the code bases in
 * `scripts/bench/answers`, in which a question is as often about something that is not there.
 */
export function weighEvidence({ terms, passages }: Found, reading: Reading): WeighedEvidence {
  const best = passages[0];
  if (!best || terms.length === 0) return { confidence: 'none' };
  const grounds = describeEvidence(best, passages, terms);
  const confidence = decide(grounds, terms, best.isDefinition && reading.shape === 'where');
  // A part of the question was not understood.
  const isPartial = terms.length < reading.terms.length;
  return { confidence: isPartial && confidence === 'found' ? 'likely' : confidence, grounds };
}

function decide(grounds: TraceEvidence, terms: readonly WeighedTerm[], isDefinition: boolean): Confidence {
  const isAbout = 2 - 4 * grounds.foreign - 3.6 * grounds.missing + 0.75 * grounds.names > 0;
  if (!isAbout || grounds.coverage < COVERAGE_MIN || countKnown(terms) < terms.length * KNOWN_MIN) return 'none';
  if (isDefinition) return 'found';
  const sure =
    -1.2 - 3.3 * grounds.foreign - 1.5 * grounds.missing + 0.6 * grounds.names + 2 * grounds.margin + grounds.together;
  return sure > 0 ? 'found' : 'likely';
}

/** Returns how many terms occur anywhere, in a form of their own or a related one. */
const countKnown = (terms: readonly WeighedTerm[]) => terms.filter((term) => term.isKnown).length;

function describeEvidence(best: Ranked, passages: readonly Ranked[], terms: readonly WeighedTerm[]): TraceEvidence {
  const total = sumWeights(terms);
  const foreign = terms
    .filter((term) => term.isForeign)
    .reduce((sum, term) => sum + term.weight * (term.isTechnology ? 1 : RARE_TELLS), 0);
  const missing = terms.filter((term, index) => !term.isEveryday && (best.strengths[index] ?? 0) < PRESENT);
  const names = terms.filter((term, index) => term.isName && (best.strengths[index] ?? 0) >= ITSELF).length;
  const next = passages.find((one) => one.passage.path !== best.passage.path);
  return {
    foreign: foreign / total,
    missing: Math.max(0, ...missing.map((term) => term.weight)) / total,
    coverage: best.coverage,
    names: Math.min(NAMES_MAX, names),
    together: terms.length < TOGETHER_TERMS_MIN ? 0 : 4 * Math.max(0, best.closeness - TOGETHER),
    margin: next ? best.score - next.score : 0,
  };
}
