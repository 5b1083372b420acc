/** Labelled queries over the synthetic cards, and the measure of how well an order of cards answers them. */

import type { SearchFilters } from '../../../daemon/contract/network/oracle.js';
import { getSearchWords, rowText } from '../../../daemon/features/oracle/text/card-text.js';
import { stemWord } from '../../../daemon/lib/text/words.js';
import type { MadeCard } from './search-cards.js';

export const KINDS = ['keyword', 'paraphrase', 'typo', 'filter'] as const;
type Kind = (typeof KINDS)[number];

export interface LabelledQuery {
  kind: Kind;
  task: string;
  audience: number | undefined;
  filters: SearchFilters;
  text: string;
}

/** Parses the lines of `search-queries.ts`. */
export function readQueries(lines: string): LabelledQuery[] {
  return lines
    .trim()
    .split('\n')
    .map((line) => {
      const [head = '', text = ''] = line.split(/: (.*)/);
      const [kind, task, ...settings] = head.split(' ');
      const given = Object.fromEntries(settings.map((setting) => setting.split('=') as [string, string]));
      const { audience, max_price_usd, ...filters } = given;
      return {
        kind: kind as Kind,
        task: task as string,
        audience: audience === undefined ? undefined : Number(audience),
        filters: { ...filters, ...(max_price_usd === undefined ? {} : { max_price_usd: Number(max_price_usd) }) },
        text,
      };
    });
}

/**
 * Returns the relevance of a card: 2 for the task; if the query names an audience, 3 for task and audience and 1 for
 * the task alone.
 */
export function computeGrade(query: LabelledQuery, card: MadeCard): number {
  if (card.task !== query.task) return 0;
  return query.audience === undefined ? 2 : card.audience === query.audience ? 3 : 1;
}

const gain = (grades: readonly number[]) =>
  grades.slice(0, 10).reduce((sum, grade, at) => sum + (2 ** grade - 1) / Math.log2(at + 2), 0);

/** Returns the nDCG at ten of `found` relative to the best order of all `grades`. */
export function ndcg(found: readonly number[], grades: readonly number[]): number {
  const best = gain([...grades].sort((a, b) => b - a));
  return best === 0 ? 0 : gain(found) / best;
}

/** Whether the card contains none of the query's words, compared by their stems: an index of words cannot find it. */
export function sharesNoWord(query: LabelledQuery, card: MadeCard): boolean {
  const own = new Set(getSearchWords(rowText(card.row)).map(stemWord));
  return !getSearchWords(query.text).some((word) => own.has(stemWord(word)));
}
