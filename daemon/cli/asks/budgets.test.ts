import { expect, it } from 'vitest';
import { meshd } from '../../testing/processes/command-line.js';
import { cellsOf, scriptedDaemon } from '../../testing/processes/scripted-daemon.js';

const NONE = { tokens: null, cost_usd: null, minutes: null, turns: null };
const BUDGET = {
  scope: 'day',
  name: 'All of a day',
  state: 'warned',
  limits: { tokens: 3000, cost_usd: 2.5, minutes: null, turns: 9 },
  spent: { tokens: 2999, cost_usd: null, minutes: 1.25, turns: 3 },
  shares: { tokens: 0.9997, cost_usd: null, minutes: null, turns: 1 / 3 },
  not_reported: { tokens: [], cost_usd: ['codex', 'gemini'] },
  share: 0.9997,
  waiting: 2,
};
const COST = 'not reported by codex, gemini of $2.50 (0 %)';
const CELLS = ['day', 'All of a day', 'warned', '2,999 of 3,000 (99 %)', COST, '1.3', '3 of 9 (33 %)', '2'];

it('budgets prints what is spent of each limit, rounded down, and who reported nothing', async () => {
  const free = { ...BUDGET, scope: 'member:a', limits: NONE, spent: NONE, share: null, waiting: 0 };
  const silent = { ...free, not_reported: { tokens: [], cost_usd: [] } };
  const list = { budgets: [BUDGET, silent], day: '2026-11-20', ends_at: '2026-11-21T00:00:00Z', time_zone: 'UTC' };
  const { root } = await scriptedDaemon({ 'GET /budgets': list });
  const { out, err } = await meshd(root, 'budgets');
  expect(cellsOf(out)).toEqual([
    ['SCOPE', 'NAME', 'STATE', 'TOKENS', 'COST', 'MINUTES', 'TURNS', 'WAITING'],
    CELLS,
    ['member:a', 'All of a day', 'no limit', '–', '–', '–', '–'],
  ]);
  expect(err).toBe('Today is 2026-11-20, until 2026-11-21T00:00:00Z (UTC).\n');
});

it('budgets set replaces the given limits and sends the lasting ones beside them', async () => {
  const lasting = { ...NONE, tokens: 7, turns: 8 };
  const { root, sent } = await scriptedDaemon({ 'GET /budgets/day': { lasting }, 'PUT /budgets/day': BUDGET });
  const { out } = await meshd(root, 'budgets', 'set', 'day', '--tokens', '9', '--cost', '1.5', '--minutes', '2');
  expect(sent[1]).toEqual(['PUT /budgets/day', { tokens: 9, cost_usd: 1.5, minutes: 2, turns: 8 }]);
  expect(cellsOf(out)[1]).toEqual(CELLS);
  await meshd(root, 'budgets', 'set', 'day', '--turns', 'none');
  expect(sent[3]).toEqual(['PUT /budgets/day', { ...lasting, turns: null }]);
});

it.each([
  [[], { percent: 50 }],
  [['--percent', '1000'], { percent: 1000 }],
  [['--today'], { percent: 50, today: true }],
  [['--cost', '30', '--turns', '4'], { limits: { cost_usd: 30, turns: 4 } }],
])('budgets raise %j sends %j', async (args, body) => {
  const { root, sent } = await scriptedDaemon({ 'POST /budgets/day/raise': BUDGET });
  expect(await meshd(root, 'budgets', 'raise', 'day', ...args)).toMatchObject({ exit: 0 });
  expect(sent).toEqual([['POST /budgets/day/raise', body]]);
});

it.each([
  ['set', []],
  ['set', ['--tokens', '1.5']],
  ['set', ['--cost', '0']],
  ['raise', ['--percent', '1001']],
  ['raise', ['--percent', '0']],
  ['raise', ['--percent', '5', '--cost', '3']],
])('budgets %s %j is a wrong use, and nothing is sent', async (command, args) => {
  const { root, sent } = await scriptedDaemon({});
  expect(await meshd(root, 'budgets', command, 'day', ...args)).toMatchObject({ exit: 2, out: '' });
  expect(sent).toEqual([]);
});
