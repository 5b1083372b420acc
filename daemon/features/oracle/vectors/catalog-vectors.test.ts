import { describe, expect, it } from 'vitest';
import { EMPTY_ROW } from '../../../testing/catalog-row.js';
import type { CatalogRow } from '../catalog-source.js';
import { Synonyms } from '../text/synonyms.js';
import { TextIndex } from '../text/text-index.js';
import { pairWords } from '../text/word-pairs.js';
import { CatalogVectors } from './catalog-vectors.js';
import { leadingDirections } from './leading-directions.js';
import { unit } from './vector-space.js';

type Vector = Float32Array | undefined;

const SETTINGS = { dimensions: 4, commonShare: 0.05, synonymPull: 0.5 };
const TEXTS = [
  'karn bolt mast',
  'karn bolt fork karn karn',
  'bolt mast lamp',
  'fork lamp dorm',
  'dorm lamp helm',
  'helm gate',
  'gate fork mast',
  'lone',
];

function run<Result>(work: Generator<void, Result>): { value: Result; steps: number } {
  for (let steps = 0; ; steps += 1) {
    const { done, value } = work.next();
    if (done) return { value, steps };
  }
}

interface Setting {
  texts?: readonly string[];
  synonyms?: string;
  settings?: typeof SETTINGS;
  isLive?: (slot: number) => boolean;
}

function trained({ texts = TEXTS, synonyms = '', settings = SETTINGS, isLive = () => true }: Setting = {}) {
  const text = new TextIndex();
  for (const description of texts) text.add({ ...EMPTY_ROW, description } satisfies CatalogRow);
  texts.forEach((_, slot) => {
    if (!isLive(slot)) text.remove(slot);
  });
  const { value, steps } = run(CatalogVectors.train(text, isLive, new Synonyms(synonyms), settings));
  return {
    text,
    vectors: value as CatalogVectors,
    steps,
    term: (word: string) => text.lexicon.getTerm(word) as number,
  };
}

const plus = (sum: Float32Array, vector: Vector, weight: number) =>
  sum.map((value, at) => value + weight * (vector?.[at] ?? 0));

/** What the vectors of these rows are by their definition. */
function defined(
  text: TextIndex,
  settings: typeof SETTINGS,
  synonyms: ReadonlyMap<string, readonly string[]> = new Map(),
  isLive = (_slot: number) => true,
) {
  const { lexicon, rows } = text;
  const pairs = run(pairWords(rows, isLive, (term) => lexicon.rowsWith(term), lexicon.size)).value;
  const { dimensions } = settings;
  const directions = run(leadingDirections(pairs, dimensions)).value;
  const own = new Map<number, Vector>();
  pairs.terms.forEach(
    (term, at) => void own.set(term, unit(directions.subarray(at * dimensions, (at + 1) * dimensions))),
  );
  const total = [...own.keys()].reduce((sum, term) => sum + lexicon.rowsWith(term), 0);
  const weight = (term: number) => settings.commonShare / (settings.commonShare + lexicon.rowsWith(term) / total);
  const nothing = new Float32Array(dimensions);
  const ofTerm = (term: number): Vector => {
    const others = synonyms.get(lexicon.stems[term] as string) ?? [];
    const drawn = others.reduce(
      (sum, other) => plus(sum, own.get(lexicon.getTerm(other) ?? -1), settings.synonymPull / others.length),
      plus(nothing, own.get(term), 1),
    );
    return unit(drawn);
  };
  const ofRow = (slot: number): Vector => {
    let sum = nothing;
    for (let at = rows.start(slot); at < rows.end(slot); at += 1)
      sum = plus(sum, ofTerm(rows.termAt(at)), weight(rows.termAt(at)) * Math.sqrt(rows.weightAt(at)));
    return unit(sum);
  };
  return { weight, ofTerm, ofRow, nothing };
}

function expectSame(found: Vector, expected: Vector): void {
  expect(found && [...found]).toEqual(expected && [...expected].map((value) => expect.closeTo(value, 4)));
}

describe('the vector of a row', () => {
  it('is the sum of those of its words, the more the rarer and the more often they stand there', () => {
    const { text, vectors } = trained();
    const { ofRow } = defined(text, SETTINGS);
    for (const slot of TEXTS.keys()) expectSame(vectors.row(slot), ofRow(slot));
    expect(vectors.row(0)).toBeDefined();
  });

  it('is none if none of its words stands beside another, or all came later', () => {
    const { text, vectors } = trained();
    expect(vectors.row(TEXTS.indexOf('lone'))).toBeUndefined();
    expect(vectors.row(text.add({ ...EMPTY_ROW, description: 'late newcomer' }))).toBeUndefined();
  });

  it('that came later is that of the words that were there', () => {
    const { text, vectors } = trained();
    expectSame(vectors.row(text.add({ ...EMPTY_ROW, description: 'helm late gate' })), vectors.row(5));
  });

  it.each([
    [49, false],
    [50, true],
  ])('of %i rows leaves out what all have in common: %s', (count, isLess) => {
    const texts = Array.from({ length: count }, (_, at) => TEXTS[at % 7] as string);
    const { text, vectors, term } = trained({ texts });
    const { ofRow, ofTerm, nothing } = defined(text, SETTINGS);
    const common = isLess ? texts.reduce((sum, _, slot) => plus(sum, ofRow(slot), 1 / count), nothing) : nothing;
    for (const slot of [0, 3, 5]) expectSame(vectors.row(slot), unit(plus(ofRow(slot) as Float32Array, common, -1)));
    const query = vectors.query([{ term: term('dorm'), weight: 0.3 }], []);
    expectSame(query, unit(plus(ofTerm(term('dorm')) as Float32Array, common, -1)));
  });

  it('that is gone or has no vector is no part of what all have in common', () => {
    const texts = [...Array.from({ length: 49 }, (_, at) => TEXTS[at % 7] as string), 'lone', 'helm gate'];
    const isLive = (slot: number) => slot !== 50;
    const { text, vectors } = trained({ texts, isLive });
    const { ofRow } = defined(text, SETTINGS, new Map(), isLive);
    for (const slot of [0, 3]) expectSame(vectors.row(slot), ofRow(slot));
  });
});

describe('the vector of a query', () => {
  it('is the sum of those of its words, by their weight and rarity', () => {
    const { text, vectors, term } = trained();
    const { ofTerm, weight, nothing } = defined(text, SETTINGS);
    const [fork, helm] = [term('fork'), term('helm')];
    const found = vectors.query(
      [
        { term: fork, weight: 1 },
        { term: helm, weight: 0.5 },
      ],
      [],
    );
    expectSame(found, unit(plus(plus(nothing, ofTerm(fork), weight(fork)), ofTerm(helm), 0.5 * weight(helm))));
  });

  it('takes the direction of the synonyms for a word that no row contains, and 0.8 of its weight', () => {
    const { text, vectors, term } = trained({ synonyms: 'odd helm nowhere gate\nrare nowhere' });
    const synonyms = new Map([
      ['helm', ['gate']],
      ['gate', ['helm']],
    ]);
    const { ofTerm, weight, nothing } = defined(text, SETTINGS, synonyms);
    const odd = unit(plus(plus(nothing, ofTerm(term('helm')), 1), ofTerm(term('gate')), 1));
    expectSame(vectors.query([], ['odd']), odd);
    const fork = term('fork');
    const both = plus(plus(nothing, ofTerm(fork), weight(fork)), odd, 0.8);
    expectSame(vectors.query([{ term: fork, weight: 1 }], ['odd', 'rare', 'unheard']), unit(both));
    expect(vectors.query([], ['rare'])).toBeUndefined();
  });

  it('is none of words without a vector', () => {
    const { text, vectors, term } = trained();
    text.add({ ...EMPTY_ROW, description: 'newcomer' });
    expect(vectors.query([], [])).toBeUndefined();
    expect(vectors.query([{ term: term('newcom'), weight: 1 }], [])).toBeUndefined();
    expect(vectors.query([{ term: term('lone'), weight: 1 }], [])).toBeUndefined();
  });
});

it('a word is drawn towards the mean of its synonyms that rows contain', () => {
  const { text, vectors, term } = trained({ synonyms: 'karn bolt gate absent' });
  const synonyms = new Map([
    ['karn', ['bolt', 'gate']],
    ['bolt', ['karn', 'gate']],
    ['gate', ['karn', 'bolt']],
  ]);
  const { ofTerm } = defined(text, SETTINGS, synonyms);
  for (const word of ['karn', 'bolt', 'gate', 'fork'])
    expectSame(vectors.query([{ term: term(word), weight: 1 }], []), ofTerm(term(word)));
});

it('only words of rows that were there have a vector', () => {
  const { text, vectors, term } = trained({ isLive: (slot) => slot !== 6 && slot !== 5 });
  text.add({ ...EMPTY_ROW, description: 'newcomer' });
  const words = ['bolt', 'lamp', 'karn', 'gate', 'newcom'];
  expect(words.map((word) => vectors.has(term(word)))).toEqual([true, true, true, false, false]);
});

it('there are no vectors without two words in one row', () => {
  const { value } = run(CatalogVectors.train(new TextIndex(), () => true, new Synonyms('')));
  expect(value).toBeUndefined();
  expect(trained({ texts: ['karn', 'bolt', 'mast'] }).vectors).toBeUndefined();
});

it('there are as many dimensions as set, but no more than words', () => {
  const dimensionsOf = (...texts: readonly string[]) => trained({ texts }).vectors.settings;
  expect(dimensionsOf('karn bolt', 'bolt mast')).toEqual({ ...SETTINGS, dimensions: 3 });
  expect(dimensionsOf('karn bolt', 'bolt mast lamp fork')).toEqual(SETTINGS);
});

it('the work gives way to others every three hundred words and rows', () => {
  // Each pair of words stands in two rows, as it must in a catalog of this size.
  const texts = Array.from({ length: 650 }, (_, at) => (at < 606 ? `w${at >> 1}k w${(at >> 1) + 1}k` : ''));
  const settings = { ...SETTINGS, dimensions: 2 };
  const { text, steps } = trained({ texts, settings });
  const { lexicon, rows } = text;
  const pairing = run(
    pairWords(
      rows,
      () => true,
      (term) => lexicon.rowsWith(term),
      lexicon.size,
    ),
  );
  const before = pairing.steps + run(leadingDirections(pairing.value, 2)).steps;
  expect(steps - before).toBe(Math.ceil(304 / 300) + Math.floor(650 / 300));
});
