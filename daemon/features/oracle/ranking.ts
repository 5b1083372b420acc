/** What speaks for a row, each from 0 to 1. */
export interface Evidence {
  /** BM25, as a share of what a row could get at most for the query. */
  text: number;
  /** Cosine of the query's vector and the row's. */
  semantic: number;
  /** How much of the query's words, by their rarity, the row's capabilities hold. */
  capability: number;
}

/** How far each alone can carry a row. */
const TRUST: Readonly<Evidence> = { text: 0.9, semantic: 0.9, capability: 0.1 };
/** What a row without a score counts as: the middle, so that a newcomer stands above the bad and below the good. */
export const UNRATED = 0.5;
export const PROMOTION_MAX = 0.05;

/**
 * The three as one, as independent grounds are added: what one leaves open the next may fill, so that a row that is certain by its meaning needs no word in
 * common, and words in common are never held against a row. `scripts/bench/search.ts` measures it; on the queries it was chosen with it found more than
 * weighted sums and lost nothing on keywords.
 */
export function relevance(evidence: Evidence): number {
  const { text, semantic, capability } = TRUST;
  return 1 - (1 - text * evidence.text) * (1 - semantic * evidence.semantic) * (1 - capability * evidence.capability);
}

/** `value` by what callers report: a score of 1 leaves it, one of 0 takes 23 % away. Contract: Oracle. */
export function byReputation(value: number, score: number | null): number {
  return (value * (1 + 0.3 * (score ?? UNRATED))) / 1.3;
}

/** From 1 for one just seen, halving every day; 0 for one that was never seen. */
export function recency(lastSeenMs: number, nowMs: number): number {
  return lastSeenMs <= 0 ? 0 : 2 ** -(Math.max(0, nowMs - lastSeenMs) / 86_400_000);
}

/** Without a query there is nothing to be relevant to: reputation decides, and among equals who was seen last. */
export function listingScore(score: number | null, lastSeenMs: number, nowMs: number): number {
  return byReputation(0.9 + 0.1 * recency(lastSeenMs, nowMs), score);
}

/** `score` with a partner's addition, never above 1, and what of the addition that took. */
export function promote(score: number, boost: number): { score: number; added: number } {
  const added = Math.min(boost, PROMOTION_MAX, 1 - score);
  return added > 0 ? { score: score + added, added } : { score, added: 0 };
}

/** Best first; equals by their ids, so that the order is always the same. */
export const byScore = (a: { score: number; agentId: string }, b: { score: number; agentId: string }) =>
  b.score - a.score || (a.agentId < b.agentId ? -1 : a.agentId > b.agentId ? 1 : 0);
