/**
 * Measures how well agent search finds the right agent for strangers' queries: cards are public descriptions of agents
 * that others wrote, queries and grades are by somebody who has never seen the search. One half of the queries is
 * locked: nobody who changes the search looks at them, and what is claimed comes from them alone. `--open` measures the
 * other. Beside it: plain BM25 and MiniSearch over the same words. Prints nDCG@10 with 95 % intervals.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createConstraints } from '../../../daemon/features/oracle/constraints.js';
import { CENTS } from '../../../daemon/features/oracle/price.js';
import { scoreFound } from '../../../daemon/features/oracle/ranking.js';
import { SearchIndex } from '../../../daemon/features/oracle/search-index.js';
import { RelatedWords } from '../../../daemon/features/oracle/text/related-words.js';
import { Synonyms } from '../../../daemon/features/oracle/text/synonyms.js';
import { readRelatedWords } from '../../../daemon/storage/word-data.js';
import { EMPTY_ROW } from '../../../daemon/testing/catalog-row.js';
import { mean } from '../answers/measures.js';
import { PlainBm25 } from '../answers/plain-bm25.js';
import { report, rounded } from '../measure.js';
import { Peer } from './search-peer.js';
import { ndcg } from './search-quality.js';

interface Card {
  id: string;
  name: string;
  description: string;
  tags: string[];
  source: string;
}

interface Query {
  half: 'open' | 'locked';
  kind: 'need' | 'keyword' | 'name' | 'typo';
  text: string;
  /** 3: exactly this agent does it; 2: as a part of more; 1: related. */
  grades: Record<string, number>;
}

const { values: options } = parseArgs({ options: { open: { type: 'boolean' }, misses: { type: 'boolean' } } });
const half = options.open ? 'open' : 'locked';
const read = <T>(name: string) =>
  JSON.parse(readFileSync(new URL(`./strangers/${name}.json`, import.meta.url), 'utf8')) as T;
const cards = read<Card[]>('cards');
const queries = read<Query[]>('queries').filter((query) => query.half === half);

const rows = cards.map(({ id, name, description, tags }) => ({ ...EMPTY_ROW, agentId: id, name, description, tags }));
const index = new SearchIndex({ synonyms: new Synonyms(), relatedWords: new RelatedWords(readRelatedWords) }, CENTS);
for (const row of rows) index.put(row.agentId, row, null);
for (const _ of index.settle());
const ours = ({ text }: Query) =>
  index
    .find(text, createConstraints({}), Date.UTC(2026, 10, 26))
    .candidates.map((found) => ({ id: found.agentId, score: scoreFound(found, null) }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
    .map(({ id }) => id);

const plain = new PlainBm25(
  cards.map(({ id, name, description, tags }) => ({ path: id, lines: [[id, name, description, ...tags].join(' ')] })),
);
const peer = await Peer.over(
  rows.map((row) => ({ ...row, description: `${row.agentId} ${row.name} ${row.description}` })),
);

const methods: Record<string, (query: Query) => string[]> = {
  ours,
  'plain BM25': ({ text }) => plain.search(text, 10).map(({ path }) => path),
  MiniSearch: ({ text }) => peer.search(text, () => true, { fuzzy: true }).map((at) => (cards[at] as Card).id),
};

function judge(query: Query, order: readonly string[]): { ndcg: number; isFirst: boolean } {
  const best = Math.max(...Object.values(query.grades));
  const grades = order.map((id) => query.grades[id] ?? 0);
  return { ndcg: ndcg(grades, Object.values(query.grades)), isFirst: grades[0] === best };
}

for (const kind of [undefined, 'need', 'keyword', 'name', 'typo'] as const) {
  const asked = queries.filter((query) => kind === undefined || query.kind === kind);
  for (const [name, search] of Object.entries(methods)) {
    const all = asked.map((query) => judge(query, search(query)));
    const found = mean(all.map((one) => one.ndcg));
    const first = all.filter(({ isFirst }) => isFirst).length / all.length;
    report({
      bench: 'strangers',
      measure: `nDCG@10, ${half}, ${kind ?? 'all'} (${all.length}), ${name}; right first ${first.toFixed(2)}`,
      unit: '',
      ours: rounded(found.value, 3),
      min: rounded(found.low, 3),
      max: rounded(found.high, 3),
      rounds: 1,
    });
  }
}

if (options.misses && options.open)
  for (const query of queries) {
    const order = ours(query);
    const { isFirst } = judge(query, order);
    if (!isFirst) console.log(`${query.kind}: ${query.text} → ${order.slice(0, 3).join(', ') || 'nothing'}`);
  }
