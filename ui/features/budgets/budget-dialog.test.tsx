// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import type { Budget } from '../../../daemon/contract/work/budgets.js';
import { drawPart, removeAfterEach, stubDaemon } from '../../testing/drawn.js';
import BudgetDialog from './budget-dialog.js';

removeAfterEach();

const budget = (share: number | null) =>
  ({
    ...{
      scope: 'day',
      share,
      limits: { cost_usd: share === null ? null : 1, tokens: null, minutes: null, turns: null },
    },
    not_reported: { tokens: [], cost_usd: [] },
    spent: { cost_usd: 0.5, tokens: 0, minutes: 0, turns: 0 },
  }) as unknown as Budget;

async function drawDialog(share: number | null) {
  const calls = stubDaemon();
  const page = await drawPart(<BudgetDialog budget={budget(share)} onClose={() => undefined} />);
  return { page, calls };
}

it('offers to remove or to raise for today only what has a limit', async () => {
  const { page } = await drawDialog(null);
  expect(page.buttons()).not.toContain('Remove budget');
  expect(page.words()).not.toContain('Only until midnight');
  expect((await drawDialog(0.5)).page.buttons()).toContain('Remove budget');
});

it('sets a limit for good, or until midnight', async () => {
  const { page, calls } = await drawDialog(0.5);
  await page.type('Cost in US dollars', '1.3');
  await page.submit();
  expect(calls).toMatchObject([{ method: 'PUT', path: '/budgets/day', body: { cost_usd: 1.3 } }]);
  await page.tick('Only until midnight');
  await page.submit();
  expect(calls[1]).toMatchObject({
    ...{ method: 'POST', path: '/budgets/day/raise', body: { limits: { cost_usd: 1.3 }, today: true } },
  });
});
