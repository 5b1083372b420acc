/**
 * Measures quality and speed of the agent search over 100,000 cards, compared to plain BM25 (its own text score alone)
 * and to MiniSearch in the same process and rounds. The cards are synthetic (`search-cards.ts`), so quality figures
 * compare methods of searching and do not predict results in a real catalog; `search-queries.ts` lists what the labels
 * share with the cards. Quality goals apply to the queries that were not seen while the search was tuned.
 */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createConstraints } from '../../../daemon/features/oracle/constraints.js';
import { CENTS } from '../../../daemon/features/oracle/price.js';
import { byReputation, byScore, relevance } from '../../../daemon/features/oracle/ranking.js';
import { SearchIndex } from '../../../daemon/features/oracle/search-index.js';
import { RelatedWords } from '../../../daemon/features/oracle/text/related-words.js';
import { Synonyms } from '../../../daemon/features/oracle/text/synonyms.js';
import { readRelatedWords } from '../../../daemon/storage/word-data.js';
import { quantile, report, rounded } from '../measure.js';
import { type MadeCard, makeCards } from './search-cards.js';
import { Peer } from './search-peer.js';
import { computeGrade, KINDS, type LabelledQuery, ndcg, readQueries, sharesNoWord } from './search-quality.js';
import { DEV, HELD_OUT } from './search-queries.js';

const CARDS = 100_000;
const ROUNDS = 5;
const NOW = Date.UTC(2026, 10, 21);
const LAMPORTS_USD = 1.5e-7;
const bench = 'search';
const peerName = 'MiniSearch';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
function megabytes(): number {
  collect();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return (heapUsed + external + arrayBuffers) / 1e6;
}

const cards = makeCards(CARDS, NOW);
const rows = cards.map(({ row }) => row);
const numberById = new Map(rows.map(({ agentId }, number) => [agentId, number]));

const before = megabytes();
let started = performance.now();
const index = new SearchIndex(
  { synonyms: new Synonyms(), relatedWords: new RelatedWords(readRelatedWords) },
  new Map([...CENTS, ['lamports', LAMPORTS_USD]]),
);
for (const row of rows) index.put(row.agentId, row, null);
const slices: number[] = [];
const laidOut = index.settle();
// Processor time: the cost of a slice without the time it had to wait for other processes.
for (let used = process.cpuUsage(), step = laidOut.next(); !step.done; step = laidOut.next()) {
  const { user, system } = process.cpuUsage(used);
  slices.push((user + system) / 1000);
  used = process.cpuUsage();
}
slices.sort((a, b) => a - b);
const ownBuildMs = performance.now() - started;
const afterOurs = megabytes();
started = performance.now();
const peer = await Peer.over(rows);
const peerBuildMs = performance.now() - started;
const afterPeer = megabytes();

/**
 * Returns which rows pass the query's filters. Both sides use this rule, so that only finding and ordering are
 * compared.
 */
function passing(query: LabelledQuery): Uint8Array {
  const { bits, size } = index.columns.refusals(createConstraints(query.filters));
  return Uint8Array.from({ length: size }, (_, slot) => (bits[slot] === 0 ? 1 : 0));
}

/** Returns the numbers of rows in the order of the complete agent search. */
function searchOurs(query: LabelledQuery): number[] {
  return index
    .find(query.text, createConstraints(query.filters), NOW)
    .candidates.map((candidate) => ({ agentId: candidate.agentId, score: byReputation(relevance(candidate), null) }))
    .sort(byScore)
    .map(({ agentId }) => numberById.get(agentId) as number);
}

/** Returns the numbers of rows in the order of the text score alone. */
function searchByWords(query: LabelledQuery): number[] {
  return index
    .find(query.text, createConstraints(query.filters), NOW)
    .candidates.filter(({ text }) => text > 0)
    .map(({ agentId, text }) => ({ agentId, score: text }))
    .sort(byScore)
    .map(({ agentId }) => numberById.get(agentId) as number);
}

interface Quality {
  ours: number;
  words: number;
  peer: number;
}

/**
 * Returns the nDCG@10 of each method. With `isUnseen` only cards that share no word with the query count, and the other
 * right cards are removed from the order.
 */
function computeQuality(query: LabelledQuery, isUnseen: boolean): Quality {
  const passes = passing(query);
  const right = cards.flatMap((card, number) => (card.task === query.task && passes[number] === 1 ? [number] : []));
  const counted = new Set(isUnseen ? right.filter((number) => sharesNoWord(query, cards[number] as MadeCard)) : right);
  const grades = [...counted].map((number) => computeGrade(query, cards[number] as MadeCard));
  const judge = (order: number[]) => {
    const judged = order.filter((number) => counted.has(number) || cards[number]?.task !== query.task).slice(0, 10);
    return ndcg(
      judged.map((number) => computeGrade(query, cards[number] as MadeCard)),
      grades,
    );
  };
  return {
    ours: judge(searchOurs(query)),
    words: judge(searchByWords(query)),
    peer: judge(peer.search(query.text, (number) => passes[number] === 1, { fuzzy: true })),
  };
}

const sets = { dev: readQueries(DEV), 'held-out': readQueries(HELD_OUT) } as const;
const mean = (all: readonly number[]) => all.reduce((sum, one) => sum + one, 0) / all.length;

for (const [split, queries] of Object.entries(sets)) {
  const kinds = [
    ...KINDS.map((kind) => [kind, kind, false] as const),
    ['paraphrase, cards without any of its words', 'paraphrase', true] as const,
  ];
  for (const [label, kind, isUnseen] of kinds) {
    const some = queries.filter((query) => query.kind === kind);
    const all = some.map((query) => computeQuality(query, isUnseen));
    const [ours, words, peerValue] = [
      mean(all.map((one) => one.ours)),
      mean(all.map((one) => one.words)),
      mean(all.map((one) => one.peer)),
    ];
    const goal = kind === 'paraphrase' ? 1.1 : 1;
    report({
      bench,
      measure: `nDCG@10 of ${label}, ${split} (${some.length}), BM25 alone ${rounded(words, 3)}`,
      unit: '',
      ours: rounded(ours, 3),
      peer: { name: peerName, value: rounded(peerValue, 3) },
      ...(peerValue > 0 ? { ratio: rounded(ours / peerValue, 2) } : {}),
      rounds: 1,
      ...(split === 'held-out'
        ? { goal: kind === 'paraphrase' ? '>= 1.1 × BM25 alone' : '>= BM25 alone', pass: ours >= words * goal - 0.0005 }
        : {}),
    });
  }
}

const timed = [...sets.dev, ...sets['held-out']];
const prepared = timed.map((query) => ({ query, passes: passing(query) }));
/** Milliseconds of every query in every round. */
const times = { ours: timed.map(() => [] as number[]), peer: timed.map(() => [] as number[]) };
// The first round is a warm-up; it is not counted.
for (let round = 0; round <= ROUNDS; round += 1) {
  // Each side runs in its own block, so that neither is slowed by the garbage of the other.
  collect();
  timed.forEach((query, number) => {
    const at = performance.now();
    searchOurs(query);
    if (round > 0) times.ours[number]?.push(performance.now() - at);
  });
  collect();
  prepared.forEach(({ query, passes }, number) => {
    const at = performance.now();
    peer.search(query.text, (row) => passes[row] === 1, { fuzzy: false });
    if (round > 0) times.peer[number]?.push(performance.now() - at);
  });
}

for (const [name, share] of [
  ['p50', 0.5],
  ['p99', 0.99],
] as const) {
  // Each query counts with its best round: other load only adds time, and p99 shall show expensive queries.
  const best = (all: readonly number[]) => Math.min(...all);
  const ours = quantile(times.ours.map(best), share);
  const peerMs = quantile(times.peer.map(best), share);
  const byRound = Array.from({ length: ROUNDS }, (_, round) =>
    quantile(
      times.ours.map((all) => all[round] as number),
      share,
    ),
  );
  report({
    bench,
    measure:
      `time of a search over ${CARDS} cards, ${name} of ${timed.length} queries, best of ${ROUNDS} rounds each ` +
      '(with filters and meaning; the peer without fuzzy)',
    unit: 'ms',
    ours: rounded(ours, 2),
    min: rounded(Math.min(...byRound), 2),
    max: rounded(Math.max(...byRound), 2),
    peer: { name: peerName, value: rounded(peerMs, 1) },
    ratio: rounded(peerMs / ours, 1),
    rounds: ROUNDS,
    goal: name === 'p99' ? '< 10 ms, peer >= 20 ×' : 'peer >= 20 ×',
    pass: peerMs / ours >= 20 && (name !== 'p99' || ours < 10),
  });
}
report({
  bench,
  measure: `reading ${CARDS} cards and learning their vectors, in the background`,
  unit: 's',
  ours: rounded(ownBuildMs / 1000),
  peer: { name: `${peerName}, words only`, value: rounded(peerBuildMs / 1000) },
  rounds: 1,
});
report({
  bench,
  measure: 'a slice of that, p99, processor time (the longest in max)',
  unit: 'ms',
  ours: rounded(quantile(slices, 0.99), 2),
  max: rounded(slices.at(-1) ?? 0, 2),
  rounds: 1,
  goal: '< 25 ms',
  pass: quantile(slices, 0.99) < 25,
});
report({
  bench,
  measure: 'memory of the index',
  unit: 'MB',
  ours: rounded(afterOurs - before),
  peer: { name: peerName, value: rounded(afterPeer - afterOurs) },
  ratio: rounded((afterOurs - before) / (afterPeer - afterOurs), 2),
  rounds: 1,
  goal: 'no more than the peer',
  pass: afterOurs - before <= afterPeer - afterOurs,
});
