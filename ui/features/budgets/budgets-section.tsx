import { useQuery } from '@tanstack/react-query';
import { formatScope } from './budget-format.js';
import { BudgetPanel } from './budget-panel.js';
import styles from './budgets.module.css';
import { budgetsQuery } from './budgets-query.js';

const TITLES = { day: 'Budget of a day' } as const;

/** Every budget with a limit, after that of the day. */
export function BudgetsSection() {
  const { data } = useQuery(budgetsQuery());
  if (!data) return null;
  const others = data.budgets.filter(({ scope }) => scope !== 'day');
  return (
    <div className={styles.list}>
      <BudgetPanel scope="day" title={TITLES.day} />
      {others.map((budget) => (
        <BudgetPanel key={budget.scope} scope={budget.scope} title={`Budget of ${formatScope(budget)}`} />
      ))}
    </div>
  );
}
