import { describe, expect, it } from 'vitest';
import { EMPTY_ROW } from '../../testing/catalog-row.js';
import type { CatalogRow } from './catalog-source.js';
import { createConstraints } from './constraints.js';
import { SearchIndex } from './search-index.js';
import { RelatedWords } from './text/related-words.js';
import { Synonyms } from './text/synonyms.js';
import { EmbeddedSpace } from './vectors/embedded-space.js';
import { unit } from './vectors/vector-space.js';

const NOW = Date.UTC(2026, 10, 21);
const DIMENSIONS = 128;

type Row = Partial<CatalogRow> & { agentId: string };
type Filters = Parameters<typeof createConstraints>[0];

interface Setting {
  related?: string;
  synonyms?: string;
}

/** An index to which the rows are added after it was laid out, so that it has no vectors of its own. */
function indexOf(rows: readonly Row[], { related = '', synonyms = '' }: Setting = {}): SearchIndex {
  const english = { synonyms: new Synonyms(synonyms), relatedWords: new RelatedWords(() => related) };
  const index = new SearchIndex(english, new Map());
  for (const _ of index.settle());
  for (const row of rows) index.put(row.agentId.toLowerCase(), { ...EMPTY_ROW, ...row }, null);
  return index;
}

const find = (index: SearchIndex, query: string, filters: Filters = {}) =>
  index.find(query, createConstraints(filters), NOW);
const ids = (index: SearchIndex, query: string, filters: Filters = {}) =>
  find(index, query, filters).candidates.map(({ agentId }) => agentId);
const many = (count: number, over: (at: number) => Partial<CatalogRow>): Row[] =>
  Array.from({ length: count }, (_, at) => ({ agentId: `x${at}`, ...over(at) }));

/** A direction of its own for every number. */
function direction(number: number): Float32Array {
  let state = number + 1;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  };
  for (let warm = 0; warm < 9; warm += 1) random();
  return unit(Float32Array.from({ length: DIMENSIONS }, random)) as Float32Array;
}

const QUERY = direction(1_000_000);
const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, at) => sum + value * (b[at] as number), 0);

/** A vector whose cosine with `QUERY` is `cosine`. */
function at(cosine: number, number: number): Float32Array {
  const other = direction(number);
  const along = dot(other, QUERY);
  const across = unit(other.map((value, d) => value - along * (QUERY[d] as number))) as Float32Array;
  return QUERY.map((value, d) => cosine * value + Math.sqrt(1 - cosine * cosine) * (across[d] as number));
}

/** An index of rows with vectors of an endpoint at these cosines to the query; undefined for none. */
function embedded(rows: readonly Row[], cosines: readonly (number | undefined)[]) {
  const index = indexOf(rows);
  const space = new EmbeddedSpace(DIMENSIONS, []);
  cosines.forEach((cosine, slot) => {
    if (cosine !== undefined) space.put(slot, at(cosine, slot));
  });
  index.embedIn(space);
  const search = (query: string, filters: Filters = {}) =>
    index.find(query, createConstraints(filters), NOW, space.bearing(QUERY));
  return { index, space, search };
}

describe('by words', () => {
  it('a row of all the words has text 1, others their share', () => {
    const index = indexOf([
      { agentId: 'all', description: 'karn bolt' },
      { agentId: 'half', description: 'karn' },
      ...many(8, () => ({ description: 'mast' })),
    ]);
    const [all, half] = find(index, 'karn bolt').candidates;
    expect([all?.agentId, half?.agentId]).toEqual(['all', 'half']);
    expect(all?.text).toBeGreaterThan(half?.text as number);
    expect(half?.text).toBeGreaterThan(0.2);
  });

  it('a row of some of the words does not reach 1 when no row has the others', () => {
    const index = indexOf([{ agentId: 'one', description: 'karn' }, ...many(8, () => ({ description: 'mast' }))]);
    const alone = find(index, 'karn').candidates[0]?.text as number;
    const strange = find(index, 'karn xqzt').candidates[0]?.text as number;
    const stranger = find(index, 'karn xqzt vvvv').candidates[0]?.text as number;
    expect(alone).toBeGreaterThan(strange);
    expect(strange).toBeGreaterThan(stranger);
  });

  it('a word with synonyms that no row has counts as missing', () => {
    const rows = [{ agentId: 'one', description: 'karn' }, ...many(8, () => ({ description: 'mast' }))];
    const alone = find(indexOf(rows), 'karn').candidates[0]?.text as number;
    expect(find(indexOf(rows, { synonyms: 'helm gate' }), 'karn helm').candidates[0]?.text).toBeLessThan(alone);
  });

  it('no row has more than text 1, however much its related words add', () => {
    const index = indexOf(
      [
        { agentId: 'rich', description: 'karn', tags: ['helm', 'gate', 'dorm', 'lamp'] },
        { agentId: 'plain', description: 'karn' },
        ...many(8, () => ({ description: 'karn mast' })),
      ],
      { related: 'karn helm,gate,dorm,lamp' },
    );
    const texts = new Map(find(index, 'karn').candidates.map(({ agentId, text }) => [agentId, text]));
    expect(texts.get('rich')).toBe(1);
    expect(texts.get('plain')).toBeLessThan(0.5);
  });

  it('a near word makes a row better that has a word of the query, and none found that has not', () => {
    const rows = [
      { agentId: 'x1', description: 'karn gate dorm' },
      { agentId: 'x2', description: 'karn helm gate' },
      { agentId: 'x3', description: 'helm mast fork' },
    ];
    const found = find(indexOf(rows, { related: 'karn  helm' }), 'karn').candidates;
    const texts = new Map(found.map(({ agentId, text }) => [agentId, text]));
    expect([...texts.keys()].sort()).toEqual(['x1', 'x2']);
    expect(texts.get('x2')).toBeGreaterThan(texts.get('x1') as number);
  });

  it('a row of near words is found where no row that passes has a word of the query', () => {
    const rows = [
      { agentId: 'word', description: 'karn', isOnline: false },
      { agentId: 'near', description: 'helm' },
    ];
    const index = indexOf(rows, { related: 'karn  helm' });
    const { candidates, filtered } = find(index, 'karn');
    expect([candidates.map(({ agentId }) => agentId), Object.fromEntries(filtered)]).toEqual([
      ['near'],
      { online_only: 1 },
    ]);
    expect(ids(index, 'karn', { online_only: false })).toEqual(['word']);
  });

  it('rows that are refused are counted once, and leave nothing for the next query', () => {
    const index = indexOf([
      { agentId: 'one', description: 'karn bolt', isOnline: false },
      { agentId: 'two', description: 'bolt' },
      { agentId: 'three', description: 'mast', isOnline: false },
    ]);
    expect(Object.fromEntries(find(index, 'karn bolt').filtered)).toEqual({ online_only: 1 });
    expect(ids(index, 'karn', { online_only: false })).toEqual(['one']);
    expect(ids(index, 'mast', { online_only: false })).toEqual(['three']);
    expect(Object.fromEntries(find(index, 'karn').filtered)).toEqual({ online_only: 1 });
  });

  it('the 250 best rows are found, and who is named beside them', () => {
    const rows = many(600, (slot) => ({ description: slot < 300 ? 'karn' : 'karn bolt mast fork lamp dorm' }));
    const found = ids(indexOf([...rows, { agentId: 'karn', description: 'helm gate '.repeat(150) }]), 'karn');
    expect(found).toHaveLength(251);
    expect(found.filter((id) => Number(id.slice(1)) >= 300)).toEqual([]);
    expect(found).toContain('karn');
  });
});

describe('by capabilities', () => {
  it('a row counts the share of the words of the query, by rarity, that its capabilities contain', () => {
    const index = indexOf([
      { agentId: 'both', capabilities: ['karn', 'bolt'] },
      { agentId: 'rare', capabilities: ['karn'], description: 'bolt' },
      { agentId: 'common', capabilities: ['bolt'], description: 'karn' },
      { agentId: 'none', description: 'karn bolt', tags: ['karn'] },
      ...many(4, () => ({ description: 'bolt' })),
    ]);
    const found = new Map(find(index, 'karn bolt').candidates.map((one) => [one.agentId, one.capability]));
    const rarity = (holders: number) => Math.log(1 + (8 - holders + 0.5) / (holders + 0.5));
    const share = rarity(4) / (rarity(4) + rarity(8));
    expect(['both', 'rare', 'common', 'none', 'x0'].map((id) => found.get(id))).toEqual([
      1,
      expect.closeTo(share, 10),
      expect.closeTo(1 - share, 10),
      0,
      0,
    ]);
    const mast = find(index, 'karn').candidates.find(({ agentId }) => agentId === 'rare');
    expect(mast?.capability).toBe(1);
  });

  it('a corrected word counts by its weight', () => {
    const index = indexOf([
      { agentId: 'one', capabilities: ['contract'], description: 'mast' },
      { agentId: 'two', capabilities: ['mast'], description: 'contract' },
    ]);
    const found = new Map(find(index, 'contarct mast').candidates.map((one) => [one.agentId, one.capability]));
    expect([found.get('one'), found.get('two')]).toEqual([expect.closeTo(0.8 / 1.8, 10), expect.closeTo(1 / 1.8, 10)]);
  });
});

describe('by id or name', () => {
  const named = (index: SearchIndex, query: string, filters: Filters = {}) =>
    find(index, query, filters)
      .candidates.filter(({ named: how }) => how !== undefined)
      .map(({ agentId, named: how, text }) => [agentId, how, text]);

  it.each([
    ['tax-helper', 'tax-helper'],
    [' @Tax  Helper ', 'tax-helper'],
    ['taxHelper', 'tax-helper'],
    ['tax_helper', 'tax-helper'],
    ['tax-helper', 'tax_helper'],
    ['@tax helper', 'taxhelper'],
    ['TAX-HELPER', 'TaxHelper'],
    ['ocr2Text', 'ocr2-text'],
    ['tax-helper_one', 'tax-helper_one'],
  ])('%j is meant for the id %s', (query, agentId) => {
    expect(named(indexOf([{ agentId }]), query)).toEqual([[agentId, 'id', 1]]);
  });

  it.each([
    ['tax', 'tax-helper'],
    ['tax helper', 'tax-helper'],
    ['a@tax-helper', 'tax-helper'],
    ['@@tax-helper', 'tax-helper'],
    ['tax@helper', 'taxhelper'],
  ])('%j is not meant for the id %s', (query, agentId) => {
    expect(named(indexOf([{ agentId }]), query)).toEqual([]);
  });

  it.each(['tax-helper', 'tax_helper', 'taxhelper'])('separate words fit the id %s, but do not name it', (agentId) => {
    const others = [{ agentId: 'other', description: 'Tax helper.' }, ...many(3, () => ({ description: 'tax' }))];
    const { candidates } = find(indexOf([{ agentId }, ...others]), 'tax helper');
    const own = candidates.find((one) => one.agentId === agentId);
    expect(own?.named).toBeUndefined();
    expect(own?.text).toBe(Math.max(...candidates.map(({ text }) => text)));
    const [alone] = find(indexOf([{ agentId }]), 'tax helper').candidates;
    expect(alone?.text).toBeGreaterThan(0);
  });

  it('a name is meant whatever its spelling, of as many rows as have it', () => {
    const index = indexOf([
      { agentId: 'one', name: 'Tax Helper' },
      { agentId: 'two', name: 'tax-helper' },
      { agentId: 'three', name: 'Tax Helpers' },
      { agentId: 'four', name: '!' },
    ]);
    expect(named(index, 'TaxHelper')).toEqual([
      ['one', 'name', 1],
      ['two', 'name', 1],
    ]);
    expect(named(index, '?')).toEqual([]);
  });

  it('who is both is meant by id', () => {
    expect(named(indexOf([{ agentId: 'tax', name: 'Tax' }]), 'tax')).toEqual([['tax', 'id', 1]]);
    expect(named(indexOf([{ agentId: 'tax-aid', name: 'Tax Aid' }]), 'tax aid')).toEqual([['tax-aid', 'name', 1]]);
  });

  it('who is removed, renamed or refused is not meant', () => {
    const index = indexOf([
      { agentId: 'tax', name: 'Karn' },
      { agentId: 'two', name: 'Karn' },
      { agentId: 'three', name: 'Karn', isOnline: false },
    ]);
    index.remove('tax');
    index.put('two', { ...EMPTY_ROW, agentId: 'two', name: 'Bolt' }, null);
    expect([named(index, 'karn'), named(index, 'tax'), named(index, 'three')]).toEqual([[], [], []]);
    expect(named(index, 'karn', { online_only: false })).toEqual([['three', 'name', 1]]);
    expect(named(index, 'three', { online_only: false })).toEqual([['three', 'id', 1]]);
    expect(named(index, 'bolt')).toEqual([['two', 'name', 1]]);
  });
});

describe('by vectors of an endpoint', () => {
  const rows = many(6, () => ({ description: 'mast' }));

  it('a row without a word of the query is found from a cosine of 0.45 on, which it is told', () => {
    const { search } = embedded(rows, [0.9, 0.6, 0.48, 0.42, 0.1, undefined]);
    const { candidates, filtered } = search('karn');
    expect(candidates.map(({ agentId, text, capability }) => [agentId, text, capability])).toEqual([
      ['x0', 0, 0],
      ['x1', 0, 0],
      ['x2', 0, 0],
    ]);
    expect(candidates.map(({ semantic }) => semantic)).toEqual(
      [0.9, 0.6, 0.48].map((cosine) => expect.closeTo(cosine, 1)),
    );
    expect(filtered.size).toBe(0);
  });

  it('a row with a word of the query is found whatever its cosine, which is 0 at least and 1 at most', () => {
    const { search } = embedded(
      many(4, () => ({ description: 'karn' })),
      [1, -0.9, undefined, 0.2],
    );
    const { candidates } = search('karn');
    const found = new Map(candidates.map(({ agentId, semantic }) => [agentId, semantic]));
    expect(candidates).toHaveLength(4);
    expect([found.get('x1'), found.get('x2')]).toEqual([0, 0]);
    expect(found.get('x0')).toBeGreaterThan(0.99);
    expect(found.get('x0')).toBeLessThanOrEqual(1);
    expect(found.get('x3')).toBeCloseTo(0.2, 1);
  });

  it('a near row that is refused is counted, once, and a far one is not', () => {
    const offline = many(5, (slot) => ({ description: slot === 0 ? 'karn' : 'mast', isOnline: false }));
    const { search, index } = embedded(
      [...offline, { agentId: 'on', description: 'mast' }],
      [0.9, 0.8, 0.42, -0.5, undefined, 0.9],
    );
    const { candidates, filtered } = search('karn');
    expect([candidates.map(({ agentId }) => agentId), Object.fromEntries(filtered)]).toEqual([
      ['on'],
      { online_only: 2 },
    ]);
    index.remove('x1');
    expect(Object.fromEntries(search('karn').filtered)).toEqual({ online_only: 1 });
  });

  it('the 250 nearest are found, and at most as many that are refused are counted', () => {
    const cosines = Array.from({ length: 700 }, (_, slot) => (slot % 7 === 0 ? 0.95 : 0.7));
    const all = embedded(
      many(700, () => ({ description: 'mast' })),
      cosines,
    ).search('karn').candidates;
    expect(all).toHaveLength(250);
    expect(all.filter(({ semantic }) => semantic > 0.85)).toHaveLength(100);
    const half = embedded(
      many(700, (slot) => ({ isOnline: slot < 350 })),
      cosines,
    ).search('karn');
    expect(half.candidates).toHaveLength(250);
    expect(half.candidates.filter(({ semantic }) => semantic > 0.85)).toHaveLength(50);
    const gone = embedded(
      many(700, () => ({ isOnline: false })),
      cosines,
    ).search('karn');
    expect([gone.candidates, Object.fromEntries(gone.filtered)]).toEqual([[], { online_only: 250 }]);
  });

  it('equally near ones beyond the 250 are left out', () => {
    const index = indexOf(many(300, () => ({})));
    const space = new EmbeddedSpace(DIMENSIONS, []);
    for (let slot = 0; slot < 300; slot += 1) space.put(slot, slot < 10 ? at(0.8, 1) : at(0.7, 2));
    const { candidates } = index.find('karn', createConstraints({}), NOW, space.bearing(QUERY));
    expect(candidates.map(({ agentId }) => agentId)).toEqual(many(250, () => ({})).map(({ agentId }) => agentId));
  });

  it('are used once nine tenths of the rows have one', () => {
    const bearing = (known: number, count: number) => {
      const { index } = embedded(
        many(count, () => ({})),
        Array<number>(known).fill(0.5),
      );
      return index.embeddedBearing(QUERY) !== undefined;
    };
    expect([bearing(9, 10), bearing(8, 10), bearing(10, 10), bearing(0, 10)]).toEqual([true, false, true, false]);
    expect(indexOf(many(2, () => ({}))).embeddedBearing(QUERY)).toBeUndefined();
    const { index } = embedded(
      many(10, () => ({})),
      Array<number>(8).fill(0.5),
    );
    index.remove('x9');
    expect(index.embeddedBearing(QUERY)).toBeUndefined();
    index.remove('x8');
    expect(index.embeddedBearing(QUERY)?.vector).toHaveLength(DIMENSIONS);
    index.remove('x0');
    expect(index.embeddedSpace?.size).toBe(7);
  });

  it('are lacking for the live rows that have none', () => {
    const { index } = embedded(
      many(5, () => ({})),
      [0.5, undefined, undefined, 0.5],
    );
    index.remove('x2');
    expect([...index.withoutEmbedding()]).toEqual([
      { slot: 1, agentId: 'x1' },
      { slot: 4, agentId: 'x4' },
    ]);
    expect([...indexOf(many(2, () => ({}))).withoutEmbedding()]).toHaveLength(2);
  });
});

describe('without a query', () => {
  it('all rows are listed with the time at which they were seen, without evidence', () => {
    const index = indexOf([{ agentId: 'one' }, { agentId: 'two', isOnline: false, lastSeenMs: 7 }]);
    const evidence = { text: 0, semantic: 0, capability: 0, named: undefined };
    expect(find(index, '  ', { online_only: false }).candidates).toEqual(
      expect.arrayContaining([
        { agentId: 'one', seenMs: NOW, ...evidence },
        { agentId: 'two', seenMs: 7, ...evidence },
      ]),
    );
    expect(Object.fromEntries(find(index, '').filtered)).toEqual({ online_only: 1 });
  });

  it('the thousand with the best standing are listed, and then found by their words alone', () => {
    const index = indexOf([]);
    for (let slot = 0; slot < 1_500; slot += 1) {
      const history = { reputation: slot % 3 === 0 ? 0 : 1, asked: 0, answered: 0, messagesThrough: 0 };
      index.put(`x${slot}`, { ...EMPTY_ROW, agentId: `x${slot}`, description: slot === 7 ? 'karn' : 'mast' }, history);
    }
    const found = ids(index, '');
    expect(found).toHaveLength(1_000);
    expect(found.filter((id) => Number(id.slice(1)) % 3 === 0)).toEqual([]);
    expect(ids(index, 'karn')).toEqual(['x7']);
    expect(find(index, 'karn').candidates[0]?.text).toBeGreaterThan(0);
  });

  it('a row is listed by its standing at its last update', () => {
    const history = (reputation: number) => ({ reputation, asked: 0, answered: 0, messagesThrough: 0 });
    const index = indexOf([]);
    const put = (slot: number, reputation: number) =>
      index.put(`x${slot}`, { ...EMPTY_ROW, agentId: `x${slot}` }, history(reputation));
    for (let slot = 0; slot < 1_001; slot += 1) put(slot, slot === 3 ? 0 : 1);
    expect(ids(index, '')).not.toContain('x3');
    put(3, 1);
    put(5, 0);
    expect(ids(index, '')).toContain('x3');
    expect(ids(index, '')).not.toContain('x5');
  });
});

describe('a row that is put again', () => {
  const row = { ...EMPTY_ROW, agentId: 'one', description: 'karn' };

  it.each<[Partial<CatalogRow>]>([
    [{ description: 'bolt' }],
    [{ tags: ['law'] }],
    [{ tags: ['geo:de'] }],
    [{ capabilities: ['ocr'] }],
    [{ category: 'data' }],
    [{ accepts: ['text/plain'] }],
    [{ produces: ['text/plain'] }],
    [{ protocols: ['mcp'] }],
    [{ pricing: { unit: 'request', amount: 1, currency: 'lamports' } }],
    [{ country: 'DE' }],
    [{ agentId: 'ONE' }],
    [{ name: 'One' }],
  ])('with %j is indexed anew', (over) => {
    const index = indexOf([row]);
    expect(index.put('one', { ...row, ...over }, null)).toEqual({ slot: 1, isNew: true });
    expect([index.liveRows, index.deadRows, index.slot('one')]).toEqual([1, 1, 1]);
    expect(ids(index, 'karn')).toEqual(over.description ? [] : [over.agentId ?? 'one']);
  });

  it.each<[Partial<CatalogRow>]>([
    [{}],
    [{ isOnline: false }],
    [{ lastSeenMs: 5 }],
    [{ endpoint: 'https://a.example' }],
  ])('with %j keeps its place', (over) => {
    const index = indexOf([row]);
    expect(index.put('one', { ...row, ...over }, null)).toEqual({ slot: 0, isNew: false });
    expect([index.liveRows, index.deadRows, index.slot('one')]).toEqual([1, 0, 0]);
  });

  it('after it was removed has a place of its own, and one that is unknown is removed without effect', () => {
    const index = indexOf([row]);
    index.remove('one');
    index.remove('one');
    index.remove('other');
    expect([index.liveRows, index.slot('one')]).toEqual([0, undefined]);
    expect(index.put('one', row, null)).toEqual({ slot: 1, isNew: true });
  });
});

describe('an index with vectors of its own', () => {
  const texts = ['karn bolt', 'karn bolt mast', 'bolt karn fork', 'lamp dorm', 'lamp dorm gate', 'dorm lamp helm'];
  const laidOut = () => {
    const english = { synonyms: new Synonyms(''), relatedWords: new RelatedWords(() => '') };
    const index = new SearchIndex(english, new Map(), { dimensions: 6, commonShare: 1e-3, synonymPull: 1 });
    texts.forEach(
      (description, at) => void index.put(`x${at}`, { ...EMPTY_ROW, agentId: `x${at}`, description }, null),
    );
    index.remove('x2');
    for (const _ of index.settle());
    return index;
  };

  it('finds rows by what stands beside their words, also rows that came later', () => {
    const index = laidOut();
    index.put('late', { ...EMPTY_ROW, agentId: 'late', description: 'bolt' }, null);
    index.put('other', { ...EMPTY_ROW, agentId: 'other', description: 'helm' }, null);
    const found = new Map(find(index, 'karn').candidates.map(({ agentId, semantic }) => [agentId, semantic]));
    expect([...found.keys()].sort()).toEqual(['late', 'x0', 'x1']);
    expect(found.get('late')).toBeGreaterThan(0.45);
  });

  it('uses the vectors of an endpoint in their place', () => {
    const index = laidOut();
    const space = new EmbeddedSpace(DIMENSIONS, []);
    space.put(5, at(0.9, 5));
    const { candidates } = index.find('karn', createConstraints({}), NOW, space.bearing(QUERY));
    const found = new Map(candidates.map(({ agentId, semantic }) => [agentId, semantic]));
    expect([...found.keys()].sort()).toEqual(['x0', 'x1', 'x5']);
    expect(found.get('x0')).toBe(0);
  });
});

it('laying out an index gives way to others every two hundred rows', () => {
  const english = { synonyms: new Synonyms(''), relatedWords: new RelatedWords(() => '') };
  const steps = (count: number) => {
    const index = new SearchIndex(english, new Map());
    for (const row of many(count, (at) => (at < 2 ? { description: 'karn bolt' } : {})))
      index.put(row.agentId, { ...EMPTY_ROW, ...row, agentId: '' }, null);
    return [...index.settle()].length;
  };
  expect([steps(200) - steps(199), steps(400) - steps(200)]).toEqual([1, 2]);
});
