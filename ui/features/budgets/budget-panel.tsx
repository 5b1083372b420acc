import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { BUDGET_KINDS, type Budget } from '../../../daemon/contract/budgets.js';
import { Button } from '../../components/button.js';
import { Meter } from '../../components/meter.js';
import { Section } from '../../components/section.js';
import { formatShare, formatSpent, KIND_LABELS } from './budget-format.js';
import styles from './budgets.module.css';
import { budgetQuery } from './budgets-mutations.js';

const BudgetDialog = lazy(() => import('./budget-dialog.js'));

/** The limits of a scope with what was spent of them, and the way to change them. */
export function BudgetPanel({ scope, title = 'Budget' }: { scope: string; title?: string }) {
  const { data: budget } = useQuery(budgetQuery(scope));
  const [isEditing, setEditing] = useState(false);
  if (!budget) return null;
  return (
    <Section
      title={title}
      actions={
        <Button isSmall onClick={() => setEditing(true)}>
          {budget.share === null ? 'Set budget' : 'Change budget'}
        </Button>
      }
    >
      <BudgetFigures budget={budget} />
      {isEditing && (
        <Suspense>
          <BudgetDialog budget={budget} onClose={() => setEditing(false)} />
        </Suspense>
      )}
    </Section>
  );
}

/** Each kind with its number, and with a bar where there is a limit. */
export function BudgetFigures({ budget }: { budget: Budget }): ReactNode {
  return (
    <>
      <dl className={styles.figures}>
        {BUDGET_KINDS.map((kind) => {
          const share = budget.shares[kind];
          return (
            <div key={kind} className={share === null ? undefined : styles[budget.state]}>
              <dt>{KIND_LABELS[kind]}</dt>
              <dd>
                {formatSpent(budget, kind)}
                {share !== null && (
                  <>
                    <span className={styles.share}>{formatShare(share)}</span>
                    <Meter value={share} />
                  </>
                )}
              </dd>
            </div>
          );
        })}
      </dl>
      {budget.share === null && <p className="small quiet">No limit is set.</p>}
      {budget.state === 'reached' && <p className={styles.told}>Used up: no turn starts until it is raised.</p>}
    </>
  );
}
