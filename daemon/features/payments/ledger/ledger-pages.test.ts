import { describe, expect, it } from 'vitest';
import type { LedgerEntry, LedgerSum } from '../../../contract/payments.js';
import { Ledger } from './ledger.js';
import type { LedgerPick, LedgerSource, PlacedEntry, SpentSide, SummedSide } from './ledger-port.js';

const placed = (createdMs: number, id: string) => ({ createdMs, entry: { id } as LedgerEntry });
const sum = (network: string) => ({ network }) as LedgerSum;

/** A side whose entries are given in the order of the ledger. It records its queries. */
function source<T extends 'earned' | 'spent'>(side: T, entries: readonly PlacedEntry[]) {
  const asked: LedgerPick[] = [];
  const list = (pick: LedgerPick) => {
    asked.push(pick);
    const { before, limit } = pick;
    return entries
      .filter(({ createdMs, entry }) => {
        if (!before) return true;
        return createdMs < before.createdMs || (createdMs === before.createdMs && entry.id < before.id);
      })
      .slice(0, limit);
  };
  return { side, asked, list, sums: () => [sum(side)] };
}

function aLedger(
  earned: readonly PlacedEntry[],
  spent: readonly PlacedEntry[],
  ...others: (readonly LedgerSource[])[]
) {
  const [ours, theirs]: [SummedSide & { asked: LedgerPick[] }, SummedSide] = [
    source('earned', earned),
    source('spent', spent),
  ];
  const spentSide: SpentSide = {
    ...theirs,
    side: 'spent',
    totals: () => ({ spent_lamports: 7, spent_today_lamports: 2 }),
    deposits: () => [],
    caps: () => ({ per_call_lamports: 1, per_day_lamports: 2 }),
    setCaps: async (patch) => ({ per_call_lamports: 1, per_day_lamports: 2, ...patch }),
  };
  const ledger = new Ledger(ours, spentSide, { earnings: () => [], earnedInAll: () => 11 }, ...others);
  return { ledger, asked: ours.asked };
}
const ids = ({ entries }: { entries: readonly LedgerEntry[] }) => entries.map(({ id }) => id);

describe('a page of the ledger', () => {
  it('merges all sources newest first and by id within a millisecond', () => {
    const other = { side: 'spent', list: () => [placed(2, 'b')] } as const;
    const { ledger } = aLedger([placed(3, 'a'), placed(2, 'c'), placed(1, 'a')], [placed(2, 'a')], [other]);
    expect(ids(ledger.list({}))).toEqual(['a', 'c', 'b', 'a', 'a']);
    expect(ids(ledger.list({ side: 'earned' }))).toEqual(['a', 'c', 'a']);
    expect(ids(ledger.list({ side: 'spent' }))).toEqual(['b', 'a']);
  });

  it.each([
    ['ebd', 'ac'],
    ['ac', 'ebd'],
    ['abcde', ''],
    ['edcba', ''],
  ])('orders the entries of a millisecond by id: %s and %s', (earned, spent) => {
    const at = (of: string) => [...of].map((id) => placed(2, id));
    expect(ids(aLedger(at(earned), at(spent)).ledger.list({}))).toEqual(['e', 'd', 'c', 'b', 'a']);
  });

  it('takes entries of each source up to the limit', () => {
    const { ledger } = aLedger([placed(5, 'a'), placed(3, 'b')], [placed(4, 'c'), placed(2, 'd')]);
    const first = ledger.list({ limit: 3 });
    expect(ids(first)).toEqual(['a', 'c', 'b']);
    expect(ids(ledger.list({ limit: 3, cursor: first.next_cursor as string }))).toEqual(['d']);
  });

  it('has totals, sums, balances and caps of both sides', () => {
    const { ledger } = aLedger([placed(1, 'a')], []);
    expect(ledger.list({ side: 'spent' })).toEqual({
      entries: [],
      count: 0,
      next_cursor: null,
      caps: { per_call_lamports: 1, per_day_lamports: 2 },
      spent_lamports: 7,
      spent_today_lamports: 2,
      earned_lamports: 11,
      sums: [sum('earned'), sum('spent')],
      tills: [],
      deposits: [],
    });
  });

  it('names the next page only when there is one, which starts after its last entry', () => {
    const { ledger } = aLedger([placed(3, 'a'), placed(2, 'b_-Z')], [placed(1, 'c')]);
    const first = ledger.list({ limit: 2 });
    expect([ids(first), first.count]).toEqual([['a', 'b_-Z'], 2]);
    const second = ledger.list({ limit: 2, cursor: first.next_cursor as string });
    expect([ids(second), second.next_cursor]).toEqual([['c'], null]);
    expect(ledger.list({ limit: 3 }).next_cursor).toBeNull();
  });

  it('passes its filters on to each source, and a place only when it has one', () => {
    const { ledger, asked } = aLedger([], []);
    ledger.list({ limit: 2, agent: 'painter', q: 'x' });
    expect(asked).toEqual([{ agent: 'painter', q: 'x', limit: 3 }]);
    expect('before' in (asked[0] ?? {})).toBe(false);
  });

  it.each([
    'nonsense',
    '',
    ...['12', '12 ', ' a', '12 a b', 'x12 a', '1234567890123456 a', '12 a!', `12 ${'a'.repeat(65)}`].map((text) =>
      Buffer.from(text).toString('base64url'),
    ),
  ])('refuses a cursor that is none: %j', (cursor) => {
    const refused = {
      code: 'bad_request',
      message: '"cursor" must be the next_cursor of an earlier page.',
      details: { path: 'cursor' },
    };
    expect(() => aLedger([], []).ledger.list({ cursor })).toThrow(expect.objectContaining(refused));
  });

  it('takes a cursor of the longest time and id', () => {
    const [createdMs, id] = [123_456_789_012_345, 'a'.repeat(64)];
    const cursor = Buffer.from(`${createdMs} ${id}`).toString('base64url');
    const { ledger, asked } = aLedger([], []);
    ledger.list({ cursor });
    expect(asked[0]?.before).toEqual({ createdMs, id });
  });
});

describe('the whole ledger', () => {
  it.each([0, 499, 500, 501, 1000, 1001])('is read in batches of 500, each entry once: %d entries', (number) => {
    const entries = Array.from({ length: number }, (_, at) => placed(number - at, `pay-${at}`));
    const batches = [...aLedger(entries, []).ledger.all({ side: 'earned' })];
    expect(batches.flat().map(({ id }) => id)).toEqual(entries.map(({ entry }) => entry.id));
    expect(batches.map(({ length }) => length)).toEqual(
      Array.from({ length: Math.ceil(number / 500) }, (_, at) => Math.min(500, number - at * 500)),
    );
  });

  it('is read in batches of 500 of both sides', () => {
    const entries = (side: string) => Array.from({ length: 300 }, (_, at) => placed(300 - at, `${side}-${at}`));
    const batches = [...aLedger(entries('earned'), entries('spent')).ledger.all({})];
    expect(batches.map(({ length }) => length)).toEqual([500, 100]);
    expect(new Set(batches.flat().map(({ id }) => id)).size).toBe(600);
  });

  it('asks no source again after a batch that was not full', () => {
    const { ledger, asked } = aLedger([placed(1, 'a')], []);
    expect([...ledger.all({ side: 'earned', q: 'x' })]).toHaveLength(1);
    expect(asked).toEqual([{ q: 'x', limit: 500 }]);
  });
});

it('a change of the caps goes to the side that spends', async () => {
  const { ledger } = aLedger([], []);
  expect(await ledger.setCaps({ per_call_lamports: 9 })).toEqual({ per_call_lamports: 9, per_day_lamports: 2 });
});
