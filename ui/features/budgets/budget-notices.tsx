import { useQuery } from '@tanstack/react-query';
import { Notice } from '../../components/notes.js';
import { formatScope, formatWaiting } from './budget-format.js';
import { BudgetQuestion } from './budget-question.js';
import { budgetsQuery } from './budgets-query.js';

/** The budget that holds up a conversation, or is about to. Where there are several, the one with the least left. */
export function BudgetNotices({ conv, member }: { conv: string; member: string | null }) {
  const { data } = useQuery(budgetsQuery());
  const scopes = [`conversation:${conv}`, `member:${member}`, 'day'];
  const told = (data?.budgets ?? []).filter(({ scope, state }) => state !== 'ok' && scopes.includes(scope));
  const asked = told.find(({ is_left }) => !is_left);
  if (asked) return <BudgetQuestion key={asked.scope} budget={asked} />;
  const budget = told.find(({ state }) => state === 'reached');
  if (!budget) return null;
  return (
    <Notice tone="needs">
      <p>
        The budget of {formatScope(budget)} is used up. {formatWaiting(budget.waiting)}
      </p>
    </Notice>
  );
}
