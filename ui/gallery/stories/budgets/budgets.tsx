import type { Budget } from '../../../../daemon/contract/work/budgets.js';
import { BudgetFigures } from '../../../features/budgets/budget-panel.js';
import { BudgetQuestion } from '../../../features/budgets/budget-question.js';
import type { Story } from '../../story.js';

const none = { tokens: null, cost_usd: null, minutes: null, turns: null };
const budget: Budget = {
  scope: 'member:developer',
  name: 'Developer',
  limits: { ...none, tokens: 2_000_000, cost_usd: 5 },
  lasting: { ...none, tokens: 2_000_000, cost_usd: 5 },
  spent: { tokens: 640_000, cost_usd: 4.4, minutes: 12.4, turns: 9 },
  shares: { ...none, tokens: 0.32, cost_usd: 0.88 },
  share: 0.88,
  state: 'warned',
  not_reported: { tokens: [], cost_usd: [] },
  waiting: 0,
  is_left: false,
  since: new Date().toISOString(),
};
const reached: Budget = { ...budget, state: 'reached', share: 1.04, shares: { ...budget.shares, cost_usd: 1.04 } };

export const story: Story = {
  title: 'Budgets',
  states: {
    warned: <BudgetQuestion budget={budget} />,
    reached: <BudgetQuestion budget={{ ...reached, waiting: 2 }} />,
    figures: <BudgetFigures budget={reached} />,
    'figures without a limit': (
      <BudgetFigures
        budget={{
          ...budget,
          ...{ limits: none, shares: none, share: null, state: 'ok' },
          spent: { ...budget.spent, cost_usd: null },
          not_reported: { tokens: [], cost_usd: ['api'] },
        }}
      />
    ),
  },
};
