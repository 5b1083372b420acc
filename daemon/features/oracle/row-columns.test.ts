import { describe, expect, it } from 'vitest';
import { EMPTY_ROW } from '../../testing/catalog-row.js';
import type { CatalogRow } from './catalog-source.js';
import { createConstraints } from './constraints.js';
import { RowColumns } from './row-columns.js';

type Filters = Parameters<typeof createConstraints>[0];

const RATES = new Map([['usd', 0.01]]);

function columnsOf(...rows: readonly Partial<CatalogRow>[]): RowColumns {
  const columns = new RowColumns(RATES);
  rows.forEach((row, slot) => void columns.add({ ...EMPTY_ROW, agentId: `agent${slot}`, ...row }, slot));
  return columns;
}

/** The slots that pass. */
function passing(columns: RowColumns, filters: Filters): number[] {
  const { bits, size } = columns.refusals(createConstraints(filters));
  return [...bits.subarray(0, size)].flatMap((refused, slot) => (refused === 0 ? [slot] : []));
}

/** Why all the slots are refused. */
function counted(columns: RowColumns, filters: Filters, lists?: readonly number[][]) {
  const refusals = columns.refusals(createConstraints(filters));
  const { filtered, lacking } = columns.countRefusals(refusals, lists ?? [[...Array(refusals.size).keys()]]);
  return {
    filtered: Object.fromEntries(filtered),
    lacking: [...lacking].map(([{ constraint, reason }, count]) => [constraint, reason, count]),
  };
}

describe('a filter of a list', () => {
  it.each<[Filters, number[]]>([
    [{ capability: 'OCR' }, [0]],
    [{ capability: 'read' }, [0, 1]],
    [{ capability: 're' }, []],
    [{ capability: 'law' }, []],
    [{ tags: 'law' }, [0, 1, 2]],
    [{ tags: 'law,tax' }, [1, 2]],
    [{ tags: 'tax,law,court' }, [2]],
    [{ tags: 'court,absent' }, []],
    [{ tags: 'absent,court' }, []],
    [{ protocols: 'mcp' }, [0, 2]],
    [{ protocols: 'mcp,a2a' }, [0, 1, 2]],
    [{ protocols: 'a2a,x402' }, [1, 2]],
    [{ protocols: 'absent' }, []],
    [{ category: 'data' }, [0, 1]],
    [{ category: 'data.pdf' }, [0, 1]],
    [{ category: 'data.pdf.forms' }, [1]],
    [{ category: 'pdf' }, []],
    [{ capability: 'read', tags: 'tax', protocols: 'a2a' }, [1]],
    [{ capability: 'read', tags: 'tax,law' }, [1]],
    [{ capability: 'read', tags: 'absent,law' }, []],
  ])('%j passes %j', (filters, slots) => {
    const columns = columnsOf(
      { capabilities: ['ocr', 'Read'], tags: ['Law'], protocols: ['MCP'], category: 'Data.PDF' },
      { capabilities: ['read'], tags: ['law', 'TAX', 'law'], protocols: ['a2a'], category: 'data.pdf.forms' },
      { tags: ['law', 'tax', 'court'], protocols: ['a2a', 'mcp'] },
      {},
    );
    expect(passing(columns, filters)).toEqual(slots);
  });
});

describe('a filter of media types', () => {
  it.each([
    ['image/png', [0, 1, 2]],
    ['image/jpeg', [1, 2]],
    ['image/*', [0, 1, 2]],
    ['text/plain', [2, 3]],
    ['text/*', [2, 3]],
    ['audio/*', [2]],
    ['audio/ogg', [2]],
    ['*/*', [0, 1, 2, 3]],
  ])('%s passes rows with that type, its group or all types: %j', (mode, slots) => {
    const types = [['image/png'], ['image/*'], ['*/*'], ['Text/Plain; charset=utf-8'], []];
    expect(passing(columnsOf(...types.map((accepts) => ({ accepts }))), { input_mode: mode })).toEqual(slots);
    expect(passing(columnsOf(...types.map((produces) => ({ produces }))), { output_mode: mode })).toEqual(slots);
    expect(passing(columnsOf(...types.map((produces) => ({ produces }))), { input_mode: mode })).toEqual([]);
    expect(passing(columnsOf(...types.map((accepts) => ({ accepts }))), { output_mode: mode })).toEqual([]);
  });
});

it.each([
  [{ tags: ['geo:de'] }, true],
  [{ tags: ['GEO:De'] }, true],
  [{ country: 'de' }, true],
  [{ tags: ['geo:fr'], country: 'DE' }, true],
  [{ tags: ['geo:fr', 'geo:de'] }, true],
  [{ tags: ['geo:fr'] }, false],
  [{ tags: ['geo:den'] }, false],
  [{ tags: ['geo:d'] }, false],
  [{ tags: ['xgeo:de'] }, false],
  [{ tags: ['de'] }, false],
  [{}, false],
])('%j is in Germany: %s', (row, isThere) => {
  expect(passing(columnsOf(row), { country: 'de' })).toEqual(isThere ? [0] : []);
});

describe('rows that are refused', () => {
  const ROWS = [
    { tags: ['law'], category: 'data', protocols: ['mcp'], accepts: ['a/b'], produces: ['a/b'], country: 'DE' },
    {},
    { isOnline: false },
    { category: 'other', country: 'FR', isOnline: false },
  ];

  it.each<[Filters, Record<string, number>, unknown[]]>([
    [{}, { online_only: 2 }, []],
    [{ online_only: false }, {}, []],
    [{ online_only: false, capability: 'x' }, { capability: 4 }, []],
    [{ online_only: false, tags: 'law' }, { tags: 3 }, []],
    [{ online_only: false, category: 'data' }, { category: 3 }, [['category', 'no_category', 2]]],
    [{ online_only: false, protocols: 'mcp' }, { protocols: 3 }, [['protocols', 'no_protocols', 3]]],
    [{ online_only: false, input_mode: 'a/b' }, { input_mode: 3 }, [['input_mode', 'no_accepts', 3]]],
    [{ online_only: false, output_mode: 'a/b' }, { output_mode: 3 }, [['output_mode', 'no_produces', 3]]],
    [{ online_only: false, country: 'DE' }, { country: 3 }, [['country', 'no_country', 2]]],
    [
      { category: 'data', country: 'DE' },
      { online_only: 2, category: 3, country: 3 },
      [
        ['category', 'no_category', 2],
        ['country', 'no_country', 2],
      ],
    ],
  ])('by %j are counted by each filter, with the value that they lack', (filters, filtered, lacking) => {
    expect(counted(columnsOf(...ROWS), filters)).toEqual({ filtered, lacking });
  });

  it('are counted where they are listed, in every list', () => {
    expect(counted(columnsOf(...ROWS), { country: 'DE' }, [[1], [2, 3]])).toEqual({
      filtered: { online_only: 2, country: 3 },
      lacking: [['country', 'no_country', 2]],
    });
    expect(counted(columnsOf(...ROWS), { country: 'DE' }, [[0], []])).toEqual({ filtered: {}, lacking: [] });
  });

  it('by a price limit are counted with the reason why they have no price to compare', () => {
    const priced = (amount: number, currency: string) => ({ pricing: { unit: 'request', amount, currency } });
    const columns = columnsOf(
      ...([
        priced(1, 'USD'),
        priced(300, 'USD'),
        priced(1, 'lamports'),
        priced(1, 'doubloons'),
        {},
      ] as Partial<CatalogRow>[]),
    );
    expect(counted(columns, { max_price_usd: 1 })).toEqual({
      filtered: { max_price_usd: 4 },
      lacking: [
        ['max_price_usd', 'no_lamports_rate', 1],
        ['max_price_usd', 'unknown_currency', 1],
        ['max_price_usd', 'no_price', 1],
      ],
    });
    expect(counted(columns, { max_price: 1, currency: 'lamports' })).toEqual({
      filtered: { max_price: 4 },
      lacking: [
        ['max_price', 'no_rate_of_limit', 2],
        ['max_price', 'unknown_currency', 1],
        ['max_price', 'no_price', 1],
      ],
    });
    expect(counted(columns, { max_price_usd: 1, max_price: 1, currency: 'doubloons' }, [[2, 4]])).toEqual({
      filtered: { max_price_usd: 2, max_price: 2 },
      lacking: [
        ['max_price_usd', 'no_lamports_rate', 1],
        ['max_price', 'no_lamports_rate', 1],
        ['max_price_usd', 'no_price', 1],
        ['max_price', 'no_price', 1],
      ],
    });
  });

  it('because they are gone are counted nowhere', () => {
    const columns = columnsOf(...ROWS);
    columns.remove(1);
    columns.remove(2);
    expect(counted(columns, { country: 'DE', max_price_usd: 1 })).toEqual({
      filtered: { online_only: 1, country: 1, max_price_usd: 2 },
      lacking: [['max_price_usd', 'no_price', 2]],
    });
    expect(passing(columns, { online_only: false })).toEqual([0, 3]);
    expect(passing(columns, {})).toEqual([0]);
    expect([0, 1, 2, 3, 4].map((slot) => columns.isLive(slot))).toEqual([true, false, false, true, false]);
  });
});

describe('a row', () => {
  it('was seen now while it is online, else when it was last seen', () => {
    const columns = columnsOf({ lastSeenMs: 5 }, { lastSeenMs: 5, isOnline: false }, { isOnline: false });
    expect([0, 1, 2].map((slot) => columns.seenMs(slot, 99))).toEqual([99, 5, 0]);
  });

  it('changes its online state, the time when it was seen and its standing', () => {
    const columns = columnsOf({}, { isOnline: false });
    columns.touch(0, { ...EMPTY_ROW, isOnline: false, lastSeenMs: 7 }, 0.25);
    columns.touch(1, EMPTY_ROW, 0.75);
    expect(passing(columns, {})).toEqual([1]);
    expect([columns.seenMs(0, 99), columns.seenMs(1, 99), columns.standing]).toEqual([7, 99, [0.25, 0.75]]);
    columns.touch(0, { ...EMPTY_ROW, isOnline: false }, 0.25);
    expect(columns.seenMs(0, 99)).toBe(0);
  });

  it('is filtered however many there are', () => {
    const rows = Array.from({ length: 3_000 }, (_, slot) => ({
      tags: slot % 3 === 0 ? ['law'] : [],
      isOnline: slot % 2 === 1,
    }));
    const columns = columnsOf(...rows);
    const expected = [...rows.keys()].filter((slot) => slot % 6 === 3);
    expect([columns.size, columns.agentIds[2_999], columns.standing[2_999]]).toEqual([3_000, 'agent2999', 2_999]);
    expect(passing(columns, {})).toEqual([...rows.keys()].filter((slot) => slot % 2 === 1));
    expect(passing(columns, { tags: 'law' })).toEqual(expected);
    expect(passing(columns, { tags: 'law', online_only: false })).toHaveLength(1_000);
    columns.add({ ...EMPTY_ROW, tags: ['law'] }, 0);
    expect(passing(columns, { tags: 'law' })).toEqual([...expected, 3_000]);
  });
});
