import { useQuery } from '@tanstack/react-query';
import { Notice } from '../../components/notes.js';
import { formatScope, formatWaiting } from './budget-format.js';
import { BudgetQuestion } from './budget-question.js';
import { budgetsQuery } from './budgets-query.js';

/** The budgets that hold up a conversation, or are about to. */
export function BudgetNotices({ conv, member }: { conv: string; member: string | null }) {
  const { data } = useQuery(budgetsQuery());
  const scopes = [`conversation:${conv}`, `member:${member}`, 'day'];
  const told = (data?.budgets ?? []).filter(({ scope, state }) => state !== 'ok' && scopes.includes(scope));
  return told.map((budget) =>
    budget.is_left ? (
      budget.state === 'reached' && (
        <Notice key={budget.scope} tone="needs">
          <p>
            The budget of {formatScope(budget)} is used up. {formatWaiting(budget.waiting)}
          </p>
        </Notice>
      )
    ) : (
      <BudgetQuestion key={budget.scope} budget={budget} />
    ),
  );
}
