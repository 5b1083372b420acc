import type { Unfilterable } from '../../contract/network/oracle.js';
import type { Evidence, History } from './ranking.js';

/** A row at its rank, and the reasons for it. */
export interface Ranked {
  agentId: string;
  score: number;
  evidence: Evidence;
  history: History;
  /** What a partner's boost added to the score. */
  promoted: number;
}

/** All rows of one search, in order. */
export interface AnswerList {
  digest: string;
  rows: readonly Ranked[];
  unfilterable: Unfilterable[];
  filtered: Record<string, number>;
  /** Which vectors the semantic scores are based on. */
  vectors: 'catalog' | 'embeddings';
}

const LISTS_MAX = 100;

/**
 * The lists of the latest searches that have a next page. With them, paging shows no row twice and leaves none out,
 * whatever changes meanwhile.
 */
export class AnswerLists {
  private readonly lists = new Map<string, AnswerList>();

  keep(queryId: string, list: AnswerList): void {
    this.lists.delete(queryId);
    this.lists.set(queryId, list);
    for (const oldest of this.lists.keys()) {
      if (this.lists.size <= LISTS_MAX) return;
      this.lists.delete(oldest);
    }
  }

  find(queryId: string, digest: string): AnswerList | undefined {
    const list = this.lists.get(queryId);
    return list?.digest === digest ? list : undefined;
  }
}
