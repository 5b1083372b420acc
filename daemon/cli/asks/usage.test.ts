import { expect, it, vi } from 'vitest';
import type { RefusedCalls, UsageCounts } from '../../contract/usage.js';
import { meshd } from '../../testing/processes/command-line.js';
import { cellsOf, scriptedDaemon } from '../../testing/processes/scripted-daemon.js';

const COUNTS: UsageCounts = {
  ...{ asks: 1234, found: 2, likely: 3, none: 4, answered: 5, failed: 6, stopped: 7, refused: 8 },
  ...{ p50_ms: 999.4, p95_ms: 1000, input_tokens: 12_000, output_tokens: 34, cost_usd: 1.255 },
};
const NOTHING: UsageCounts = {
  ...{ asks: 0, found: 0, likely: 0, none: 0, answered: 0, failed: 0, stopped: 0, refused: 0 },
  ...{ p50_ms: null, p95_ms: null, input_tokens: null, output_tokens: null, cost_usd: null },
};
const CELLS = ['1,234', '2', '3', '4', '5', '6', '7', '8', '999 ms', '1.0 s', '12,000', '34', '$1.25'];
const REPORT = {
  total: COUNTS,
  buckets: [{ at: '2026-11-20T00:00:00.000Z', ...COUNTS }],
  members: [
    { name: 'sage', ...COUNTS },
    { name: '', ...NOTHING },
  ],
  callers: [{ name: 'curl', ...COUNTS }],
  clients: [{ name: 'builtin', ...COUNTS }],
};

it.each([
  [
    'member',
    [
      ['sage', ...CELLS],
      ['(no member)', ...Array(8).fill('0')],
    ],
    '',
  ],
  ['caller', [['curl', ...CELLS]], ''],
  ['client', [['builtin', ...CELLS]], ''],
  ['day', [['2026-11-20', ...CELLS]], 'Days are those of UTC.\n'],
])('usage --by %s prints its rows and the total, every count in its column', async (by, rows, err) => {
  const { root } = await scriptedDaemon({ 'GET /usage': REPORT });
  const shown = await meshd(root, 'usage', '--by', by);
  const heads = ['ASKS', 'FOUND', 'LIKELY', 'NONE', 'MODEL', 'FAILED', 'STOPPED', 'REFUSED', 'P50', 'P95'];
  expect(cellsOf(shown.out)).toEqual([
    [by.toUpperCase(), ...heads, 'TOKENS IN', 'TOKENS OUT', 'COST'],
    ...rows,
    ['total', ...CELLS],
  ]);
  expect([shown.exit, shown.err]).toEqual([0, err]);
});

it.each([
  [[], '2026-10-31T12:00:00.000Z', ''],
  [['--days', '90'], '2026-09-01T12:00:00.000Z', ''],
  [['--days', '1', '--member', 'sage', '--caller', 'curl'], '2026-11-29T12:00:00.000Z', '&member=sage&caller=curl'],
])('usage %j asks for the days since then, and for no others', async (args, from, more) => {
  vi.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-11-30T12:00:00Z'));
  const { root, sent } = await scriptedDaemon({ 'GET /usage': REPORT });
  await meshd(root, 'usage', ...args).finally(() => vi.restoreAllMocks());
  expect(sent).toEqual([[`GET /usage?from=${encodeURIComponent(from)}&bucket=day${more}`]]);
});

it('usage says that nothing was asked only where nothing was refused either', async () => {
  for (const [refused, err] of [
    [0, 'Nothing was asked in this time.\n'],
    [1, ''],
  ] as const) {
    const report = { ...REPORT, members: [], total: { ...NOTHING, refused } };
    const { root } = await scriptedDaemon({ 'GET /usage': report });
    expect((await meshd(root, 'usage')).err).toBe(err);
  }
  const { root } = await scriptedDaemon({});
  expect(await meshd(root, 'usage', '--days', '91')).toMatchObject({ exit: 2 });
  expect(await meshd(root, 'usage', '--days', '0')).toMatchObject({ exit: 2 });
});

it('requests refused sends every filter, and prints reason and place of each call', async () => {
  const row = (reason: RefusedCalls['reason']): RefusedCalls => ({
    ...{ reason, member: 'sage', caller: 'curl', address: '127.0.0.1', route: 'POST /team/{id}/ask', count: 1200 },
    ...{ first_at: '2026-11-19T01:02:03.000Z', last_at: '2026-11-20T01:02:03.000Z' },
  });
  const refused = (['no_credential', 'wrong_credential', 'payment_required', 'too_many_requests'] as const).map(row);
  const { root, sent } = await scriptedDaemon({ 'GET /requests/refused': { refused, count: 4 } });
  const filters = ['--reason', 'no_credential', '--member', 'sage', '--caller', 'curl', '--since', '2026', '--limit'];
  const { out } = await meshd(root, 'requests', 'refused', ...filters, '200');
  const reasons = [
    'no credential (401)',
    'wrong credential (401)',
    'payment required (402)',
    'too many requests (429)',
  ];
  expect(cellsOf(out).slice(1)).toEqual(
    reasons.map((why) => ['2026-11-20 01:02:03', '1,200', why, 'sage', 'curl', '127.0.0.1', 'POST /team/{id}/ask']),
  );
  expect(sent).toEqual([['GET /requests/refused?reason=no_credential&member=sage&caller=curl&since=2026&limit=200']]);
  expect(await meshd(root, 'requests', 'refused', ...filters, '201')).toMatchObject({ exit: 2 });
});

it.each([
  [[], 'limit=50'],
  [['--limit', '7'], 'limit=7'],
])('requests refused with %j asks for %s', async (options, query) => {
  const { root, sent } = await scriptedDaemon({ 'GET /requests/refused': { refused: [], count: 0 } });
  expect(await meshd(root, 'requests', 'refused', ...options)).toMatchObject({ exit: 0 });
  expect(sent).toEqual([[`GET /requests/refused?${query}`]]);
});
