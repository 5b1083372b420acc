/** The evidence for a row, each value from 0 to 1. */
export interface Evidence {
  /** BM25 score as a share of the maximum for the query. */
  text: number;
  /** Cosine of the query's vector and the row's vector. */
  semantic: number;
  /** Share of the query's words, weighted by rarity, that the row's capabilities contain. */
  capability: number;
}

/** The relevance that each kind of evidence can give on its own. */
const TRUST: Readonly<Evidence> = { text: 0.9, semantic: 0.9, capability: 0.1 };
/** The value of a row without a score: the middle, so that a new agent ranks above bad ones and below good ones. */
export const UNRATED = 0.5;
export const PROMOTION_MAX = 0.05;

/**
 * Combines the three kinds of evidence like independent probabilities: each fills a part of what the others leave open.
 * A row with strong semantic evidence needs no word in common, and more evidence never lowers the result. Measured by
 * `scripts/bench/search/search.ts`: on the queries that were used to choose it, it found more than weighted sums, and nothing
 * less for keyword queries.
 */
export function relevance(evidence: Evidence): number {
  const { text, semantic, capability } = TRUST;
  return 1 - (1 - text * evidence.text) * (1 - semantic * evidence.semantic) * (1 - capability * evidence.capability);
}

/** Scores of an agent whose id or name is the query: above all others, and the id above a name. */
const NAMED = { id: 1, name: 0.999 } as const;

/**
 * The score of a row for a query. Who types an id or a name wants that agent, whatever its reputation; all others are
 * ranked by relevance, scaled by reputation.
 */
export function scoreFound(
  { named, ...evidence }: Evidence & { named: 'id' | 'name' | undefined },
  reputation: number | null,
): number {
  return named ? NAMED[named] : byReputation(relevance(evidence), reputation);
}

/** Scales `value` by the reputation: a score of 1 keeps it, a score of 0 reduces it by 23 %. Contract: Oracle. */
export function byReputation(value: number, score: number | null): number {
  return (value * (1 + 0.3 * (score ?? UNRATED))) / 1.3;
}

/** Returns 1 for an agent that was just seen, halved every day; 0 for one that was never seen. */
export function recency(lastSeenMs: number, nowMs: number): number {
  return lastSeenMs <= 0 ? 0 : 2 ** -(Math.max(0, nowMs - lastSeenMs) / 86_400_000);
}

/**
 * The score of a row without a query: reputation decides, and among equals the time at which the agent was last seen.
 */
export function listingScore(score: number | null, lastSeenMs: number, nowMs: number): number {
  return byReputation(0.9 + 0.1 * recency(lastSeenMs, nowMs), score);
}

/** Adds a partner's boost to `score`, up to a total of 1. Returns the sum and the part of the boost that was added. */
export function promote(score: number, boost: number): { score: number; added: number } {
  const added = Math.min(boost, PROMOTION_MAX, 1 - score);
  return added > 0 ? { score: score + added, added } : { score, added: 0 };
}

/** Best first; equal scores by id, so that the order is deterministic. */
export const byScore = (a: { score: number; agentId: string }, b: { score: number; agentId: string }) =>
  b.score - a.score || (a.agentId < b.agentId ? -1 : a.agentId > b.agentId ? 1 : 0);
