import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import type { Budget } from '../../../daemon/contract/work/budgets.js';
import { Button } from '../../components/button.js';
import { Meter } from '../../components/meter.js';
import { KeyValue } from '../../components/notes.js';
import { Section } from '../../components/section.js';
import { BUDGET_KINDS, formatShare, formatSpent, KIND_LABELS } from './budget-format.js';
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
        <Button look="quiet" isSmall onClick={() => setEditing(true)}>
          {budget.share === null ? 'Set' : 'Change'} <span className="visually-hidden">budget</span>
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
      <KeyValue
        rows={BUDGET_KINDS.map((kind) => [
          KIND_LABELS[kind],
          <BudgetFigure key={kind} what={formatSpent(budget, kind)} share={budget.shares[kind]} />,
        ])}
      />
      {budget.share === null && <p className="small quiet">No limit is set.</p>}
      {budget.state === 'reached' && <p className={styles.told}>Used up: no turn starts until it is raised.</p>}
    </>
  );
}

function BudgetFigure({ what, share }: { what: string; share: number | null }) {
  if (share === null) return what;
  return (
    <div className={styles.figure}>
      {what}
      <span>{formatShare(share)}</span>
      <Meter value={share} />
    </div>
  );
}
