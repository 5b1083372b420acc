import type { Budget } from '../../../daemon/contract/work/budgets.js';
import questions from '../../components/decision-question.module.css';
import rows from '../../components/rows.module.css';
import { Icon } from '../../components/text/icon.js';
import { BudgetQuestion } from './budget-question.js';

/** A budget that is reached or nearly so, among what needs the operator. */
export function BudgetNeed({ budget }: { budget: Budget }) {
  return (
    <li className={`${questions.need} ${rows.needs}`}>
      <Icon name="ledger" />
      <BudgetQuestion budget={budget} />
    </li>
  );
}
