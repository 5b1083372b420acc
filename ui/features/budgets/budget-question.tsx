import { lazy, Suspense, useState } from 'react';
import type { Budget } from '../../../daemon/contract/work/budgets.js';
import { DecisionQuestion } from '../../components/decision-question.js';
import { useToast } from '../../components/toasts.js';
import { keyChoice } from '../../lib/keys/key-choice.js';
import {
  findWorst,
  formatScope,
  formatShare,
  formatSpent,
  formatWaiting,
  KIND_LABELS,
  RAISE_PERCENT,
} from './budget-format.js';
import { useLeaveBudget, useRaiseBudget } from './budgets-mutations.js';

const BudgetDialog = lazy(() => import('./budget-dialog.js'));

const CHOICES = ['raise', 'today', 'other', 'deny'] as const;
const WORDS = {
  raise: `Raise by ${RAISE_PERCENT} %`,
  today: `${RAISE_PERCENT} % more today`,
  other: 'Other limit…',
  deny: 'Leave it',
} as const;

/** A budget that is reached or nearly so, and how to go on. */
export function BudgetQuestion({ budget }: { budget: Budget }) {
  const { scope, state, share, since, waiting } = budget;
  const [raise, leave] = [useRaiseBudget(scope), useLeaveBudget(scope)];
  const [isEditing, setEditing] = useState(false);
  const say = useToast();
  const onError = (error: Error) => say({ tone: 'failed', text: error.message });
  const decide = (choice: (typeof CHOICES)[number]) => {
    if (choice === 'other') setEditing(true);
    else if (choice === 'deny') leave.mutate(undefined, { onError });
    else raise.mutate({ percent: RAISE_PERCENT, today: choice === 'today' }, { onError });
  };
  const worst = findWorst(budget);
  return (
    <>
      <DecisionQuestion
        what={
          state === 'reached'
            ? `The budget of ${formatScope(budget)} is used up.`
            : `${formatShare(share ?? 0)} of the budget of ${formatScope(budget)} are spent.`
        }
        asked={since ?? ''}
        wait={
          state === 'reached' ? 'No turn of it starts until you raise it.' : 'Its turns end when all of it is spent.'
        }
        choices={CHOICES}
        words={WORDS}
        choiceOfKey={(event) => keyChoice(CHOICES, event)}
        onDecide={decide}
        isPending={raise.isPending || leave.isPending}
        isInRow
        isSmall
      >
        <p>
          {worst && `${KIND_LABELS[worst]}: ${formatSpent(budget, worst)}. `}
          {formatWaiting(waiting)}
        </p>
      </DecisionQuestion>
      {isEditing && (
        <Suspense>
          <BudgetDialog budget={budget} onClose={() => setEditing(false)} />
        </Suspense>
      )}
    </>
  );
}
