import { type FormEvent, useState } from 'react';
import type { Budget, BudgetKind } from '../../../daemon/contract/work/budgets.js';
import { Button } from '../../components/button.js';
import { Dialog, FormActions } from '../../components/dialog.js';
import { ChoiceField, TextField } from '../../components/field.js';
import { ErrorPanel } from '../../components/states.js';
import { useToast } from '../../components/toasts.js';
import { BUDGET_KINDS, findFault, formatScope, formatSpent, KIND_LABELS, toEdit, toTexts } from './budget-format.js';
import { useClearBudget, useRaiseBudget, useSetBudget } from './budgets-mutations.js';

const LABELS: Readonly<Record<BudgetKind, string>> = {
  ...KIND_LABELS,
  cost_usd: 'Cost in US dollars',
  minutes: 'Minutes that turns run',
};

/** The limits of one budget: for good, or until midnight. */
export default function BudgetDialog({ budget, onClose }: { budget: Budget; onClose: () => void }) {
  const { scope, limits } = budget;
  const [texts, setTexts] = useState(toTexts(limits));
  const [isForToday, setForToday] = useState(false);
  const [set, raise, clear] = [useSetBudget(scope), useRaiseBudget(scope), useClearBudget(scope)];
  const say = useToast();
  const hasLimit = budget.share !== null;
  const faults = BUDGET_KINDS.map((kind) => findFault(kind, texts[kind]));
  const isEmpty = BUDGET_KINDS.every((kind) => texts[kind].trim() === '');
  const close = (text: string) => () => {
    say({ text });
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (faults.some(Boolean) || isEmpty) return;
    const edit = toEdit(texts);
    if (isForToday)
      raise.mutate({ limits: edit, today: true }, { onSuccess: close('The budget is set until midnight.') });
    else set.mutate(edit, { onSuccess: close('The budget is set.') });
  };
  const remove = () => clear.mutate(undefined, { onSuccess: close('The budget is removed.') });
  const error = set.error ?? raise.error ?? clear.error;
  return (
    <Dialog title={`Budget of ${formatScope(budget)}`} onClose={onClose}>
      <form className="stack" onSubmit={submit} noValidate>
        {BUDGET_KINDS.map((kind, at) => (
          <TextField
            key={kind}
            label={LABELS[kind]}
            inputMode={kind === 'tokens' || kind === 'turns' ? 'numeric' : 'decimal'}
            value={texts[kind]}
            onChange={({ target }) => setTexts({ ...texts, [kind]: target.value })}
            error={faults[at]}
            hint={`Spent: ${formatSpent({ ...budget, limits: { ...limits, [kind]: null } }, kind)}. Empty for no limit.`}
          />
        ))}
        {hasLimit && (
          <ChoiceField
            label="Only until midnight"
            checked={isForToday}
            onChange={({ target }) => setForToday(target.checked)}
          />
        )}
        <p className="small quiet">
          At 80 % you are told. At a limit running turns end with what they have, and no other one starts.
        </p>
        {error && <ErrorPanel what="The budget was not changed." error={error} />}
        {hasLimit && <Removal isBusy={clear.isPending} onRemove={remove} />}
        <FormActions
          submitLabel="Set budget"
          closeLabel="Cancel"
          isBusy={set.isPending || raise.isPending}
          reasonDisabled={isEmpty ? 'Give at least one limit.' : undefined}
          onClose={onClose}
        />
      </form>
    </Dialog>
  );
}

function Removal({ isBusy, onRemove }: { isBusy: boolean; onRemove: () => void }) {
  return (
    <p>
      <Button look="danger" isSmall isBusy={isBusy} onClick={onRemove}>
        Remove budget
      </Button>
    </p>
  );
}
