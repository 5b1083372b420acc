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

/** How often an agent was asked, and how often it answered. */
export interface ResponseCounts {
  asked: number;
  answered: number;
}

/** What is known about the conduct of an agent. */
export interface History extends ResponseCounts {
  /** Score from 0 to 1; null for an agent without reports. */
  reputation: number | null;
  /** Number of messages that reached it. */
  messagesThrough: number;
}

export const NO_HISTORY: History = { reputation: null, asked: 0, answered: 0, messagesThrough: 0 };
/** Whether anything is known about the conduct of an agent. */
export const hasHistory = ({ reputation, asked, messagesThrough }: History) =>
  reputation !== null || asked > 0 || messagesThrough > 0;
const RESPONSE_SHARE = 0.2;
/** Small: who asks may report it without a proof. */
const REACHED_SHARE = 0.02;
/** The number of messages at which half of `REACHED_SHARE` is reached. */
const REACHED_HALF = 5;

/**
 * Combines the three kinds of evidence like independent probabilities: each fills a part of what the others leave open.
 * A row with strong semantic evidence needs no word in common, and more evidence never lowers the result. Measured by
 * `scripts/bench/search/search.ts`: on the queries that were used to choose it, it found more than weighted sums, and
 * nothing less for keyword queries.
 */
export function relevance(evidence: Evidence): number {
  const { text, semantic, capability } = TRUST;
  return 1 - (1 - text * evidence.text) * (1 - semantic * evidence.semantic) * (1 - capability * evidence.capability);
}

/** Scores of an agent whose id or name is the query: above all others, and the id above a name. */
const NAMED = { id: 1, name: 0.999 } as const;

/**
 * The score of a row for a query. Who types an id or a name wants that agent, whatever its reputation; all others are
 * ranked by relevance, scaled by their standing.
 */
export function scoreFound(
  { named, ...evidence }: Evidence & { named: 'id' | 'name' | undefined },
  history: History | null,
): number {
  return named ? NAMED[named] : relevance(evidence) * computeReliability(history);
}

/**
 * The factor from 0 to 1 by which the history of an agent scales its score: its reputation, the share of questions that
 * it answered, and the messages that reached it. The share is counted as if it had answered one of two questions more,
 * so an agent that was never asked is in the middle: above those that left questions open, below those that answered.
 */
export function computeReliability(history: History | null): number {
  const { reputation, asked, answered, messagesThrough } = history ?? NO_HISTORY;
  const responses = (1 + (RESPONSE_SHARE * (answered + 1)) / (asked + 2)) / (1 + RESPONSE_SHARE);
  const reached = (1 + (REACHED_SHARE * messagesThrough) / (messagesThrough + REACHED_HALF)) / (1 + REACHED_SHARE);
  return byReputation(responses * reached, reputation);
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
 * The score of a row without a query: its standing decides, and among equals the time at which the agent was last seen.
 */
export function listingScore(ownStanding: number, lastSeenMs: number, nowMs: number): number {
  return ownStanding * (0.9 + 0.1 * recency(lastSeenMs, nowMs));
}

/** Adds a partner's boost to `score`, up to a total of 1. Returns the sum and the part of the boost that was added. */
export function promote(score: number, boost: number): { score: number; added: number } {
  const added = Math.min(boost, PROMOTION_MAX, 1 - score);
  return added > 0 ? { score: score + added, added } : { score, added: 0 };
}

/** Best first; equal scores by id, so that the order is deterministic. */
export const byScore = (a: { score: number; agentId: string }, b: { score: number; agentId: string }) =>
  b.score - a.score || (a.agentId < b.agentId ? -1 : a.agentId > b.agentId ? 1 : 0);
