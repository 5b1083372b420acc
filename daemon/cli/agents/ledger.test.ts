import { expect, it } from 'vitest';
import { meshd } from '../../testing/processes/command-line.js';
import { cellsOf, scriptedDaemon } from '../../testing/processes/scripted-daemon.js';

const ENTRY = {
  ...{ created_at: 1_795_000_000, side: 'spent', kind: 'call', mode: 'postpay', state: 'owed', amount_lamports: 5000 },
  ...{ agent: 'painter', skill: 'paint', real: false, network: 'solana:local' },
};
const SUM = {
  ...{ side: 'spent', network: 'solana:local', real: false, paid_lamports: 9000, refunded_lamports: 1 },
  ...{ balance_lamports: 2, owed_lamports: 3, net_lamports: 9001 },
};
const LEDGER = {
  entries: [ENTRY, { ...ENTRY, side: 'earned', kind: 'transfer', mode: null, skill: null, real: true, network: 'm' }],
  next_cursor: null as string | null,
  caps: { per_call_lamports: 1000, per_day_lamports: 0 },
  ...{ spent_today_lamports: 1, earned_lamports: 2, spent_lamports: 3 },
  sums: [
    SUM,
    { ...SUM, side: 'earned', real: true, refunded_lamports: 0, paid_lamports: 0 },
    { ...SUM, paid_lamports: 0, owed_lamports: 0 },
  ],
  deposits: [{ agent: 'painter', lamports: 7, network: 'solana:local', api_key_last4: 'abcd' }],
};

it('ledger prints every entry with its sign, and the sums of each side in its own words', async () => {
  const { root, sent } = await scriptedDaemon({ 'GET /ledger': LEDGER });
  const filters = ['--side', 'spent', '--state', 'owed', '--mode', 'postpay', '--agent', 'painter', '--q', 'x'];
  const { out, err } = await meshd(root, 'ledger', ...filters);
  expect(cellsOf(out)).toEqual([
    ['WHEN (UTC)', 'SIDE', 'WHAT', 'STATE', 'LAMPORTS', 'NETWORK', 'AGENT'],
    ['2026-11-18 11:06:40', 'spent', 'call postpay', 'owed', '−5000', 'solana:local (not real)', 'painter paint'],
    ['2026-11-18 11:06:40', 'earned', 'transfer', 'owed', '+5000', 'm', 'painter'],
  ]);
  expect(err.trimEnd().split('\n')).toEqual([
    'Earned 2 lamports, spent 3 lamports, today 1 lamports.',
    'Calls cost 9,001 lamports on solana:local (not real): paid 9,000 lamports, 1 lamports of it refunded as ' +
      'balances, 2 lamports left in balances, 3 lamports owed.',
    'Calls earned 9,001 lamports on solana:local: received 0 lamports, 2 lamports held for callers, 3 lamports owed.',
    'Caps: 1,000 lamports a payment, 0 lamports a day. Every payment needs approval.',
    'Deposit with painter: 7 lamports on solana:local (key …abcd).',
  ]);
  expect(sent).toEqual([['GET /ledger?side=spent&state=owed&mode=postpay&agent=painter&q=x&limit=50']]);
});

it('ledger reads page after page up to the limit, and says where there is more', async () => {
  const { root, sent } = await scriptedDaemon({
    'GET /ledger': (query) => ({
      ...LEDGER,
      entries: Array(Number(query.get('limit'))).fill(ENTRY),
      next_cursor: `after-${query.get('cursor') ?? 'start'}`,
    }),
  });
  const { out, err } = await meshd(root, 'ledger', '--limit', '250');
  expect(cellsOf(out)).toHaveLength(251);
  expect(sent).toEqual([['GET /ledger?limit=200'], ['GET /ledger?limit=50&cursor=after-start']]);
  expect(err).toContain('There is more: --limit 500.\n');
});

it('settle exits 1 when one payment failed, and names the one agent that was asked for', async () => {
  const settled = { settled: [{ ...ENTRY, reason: 'on time' }], failed: [{ id: 'pay-1', message: 'no funds' }] };
  const { root, sent } = await scriptedDaemon({ 'POST /ledger/settle': settled });
  expect(await meshd(root, 'settle', 'painter')).toEqual({
    exit: 1,
    out: 'painter: paid 5,000 lamports (on time).\n',
    err: 'pay-1 was not paid: no funds\n',
  });
  await meshd(root, 'settle');
  expect(sent).toEqual([
    ['POST /ledger/settle', { agent: 'painter' }],
    ['POST /ledger/settle', {}],
  ]);
});

it('settle exits 0 when only debts to projects that do not run are left, unless one was asked for', async () => {
  const away = { id: 'pay-1', message: 'No running project of yours has the network.', is_away: true };
  const settled = { settled: [], failed: [away] };
  const { root } = await scriptedDaemon({ 'POST /ledger/settle': settled });
  const err = 'pay-1 was not paid: No running project of yours has the network.\n';
  expect(await meshd(root, 'settle')).toEqual({ exit: 0, out: '', err });
  expect(await meshd(root, 'settle', 'lamp/painter')).toEqual({ exit: 1, out: '', err });
});

it('approvals exits 9 for a single one, and deny sends the denial', async () => {
  const one = { call_id: 'call-1', agent: 'a', skill: 's', amount_lamports: 5, network: 'm', real: true };
  const approvals = [{ ...one, expires_at: 1_795_000_000, reason: 'over the cap' }];
  const { root, sent } = await scriptedDaemon({
    'GET /approvals': { approvals, count: 1 },
    'POST /ledger/approvals/call-1': { call_id: 'call-1' },
  });
  const shown = await meshd(root, 'approvals');
  expect([shown.exit, shown.err]).toEqual([9, 'call-1: over the cap\n']);
  expect(cellsOf(shown.out)[1]).toEqual(['call-1', 'a', 's', '5', 'm', '2026-11-18 11:06:40']);
  expect(await meshd(root, 'deny', 'call-1')).toEqual({ exit: 0, out: 'call-1 is not paid.\n', err: '' });
  expect(sent.at(-1)).toEqual(['POST /ledger/approvals/call-1', { decision: 'deny' }]);
});
