import type { Unfilterable } from '../../contract/oracle.js';
import type { Evidence } from './ranking.js';

/** A row in its place, and what put it there. */
export interface Ranked {
  agentId: string;
  score: number;
  evidence: Evidence;
  reputation: number | null;
  /** What a partner's boost added. */
  promoted: number;
}

/** All rows of one search in their order. */
export interface AnswerList {
  digest: string;
  rows: readonly Ranked[];
  unfilterable: Unfilterable[];
  filtered: Record<string, number>;
  /** Whose vectors told the meaning. */
  vectors: 'catalog' | 'embeddings';
}

const LISTS_MAX = 100;

/** The lists of the latest searches that have a further page, so that going on shows no row twice and leaves none out, whatever changed meanwhile. */
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
