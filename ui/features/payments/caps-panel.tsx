import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { Caps } from '../../../daemon/contract/payments.js';
import { Button } from '../../components/button.js';
import { Dialog, FormActions } from '../../components/dialog.js';
import { KeyValue } from '../../components/notes.js';
import { Section } from '../../components/section.js';
import { ErrorPanel } from '../../components/states.js';
import { useToast } from '../../components/toasts.js';
import { Amount } from './amount.js';
import { LamportsField } from './lamports-field.js';
import { formatCaps } from './payment-format.js';
import styles from './payments.module.css';
import { useSetCaps } from './payments-mutations.js';

/** What may be spent without approval, in numbers and in words. */
export function CapsPanel({ caps, spentToday }: { caps: Caps; spentToday: number }) {
  const [isSetting, setIsSetting] = useState(false);
  return (
    <Section
      title="Caps"
      actions={
        <Button isSmall onClick={() => setIsSetting(true)}>
          Set caps
        </Button>
      }
    >
      <p className={styles.note}>{formatCaps(caps)}</p>
      <p className={styles.note}>
        Caps are for payments to other agents. What models cost is limited under{' '}
        <Link to="/requests" search={{ tab: 'usage' }}>
          Budgets
        </Link>
        .
      </p>
      <KeyValue
        rows={[
          ['A payment', <Amount key="call" lamports={caps.per_call_lamports} />],
          ['A day', <Amount key="day" lamports={caps.per_day_lamports} />],
          ['Spent today', <Amount key="today" lamports={spentToday} />],
        ]}
      />
      {isSetting && <SetCaps caps={caps} onClose={() => setIsSetting(false)} />}
    </Section>
  );
}

function SetCaps({ caps, onClose }: { caps: Caps; onClose: () => void }) {
  const set = useSetCaps();
  const say = useToast();
  const [call, setCall] = useState<number | undefined>(caps.per_call_lamports);
  const [day, setDay] = useState<number | undefined>(caps.per_day_lamports);
  const fault = (lamports: number | undefined) =>
    lamports === undefined ? 'A whole number of lamports, 0 or more.' : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (call === undefined || day === undefined) return;
    set.mutate(
      { per_call_lamports: call, per_day_lamports: day },
      {
        onSuccess: () => {
          say({ text: 'The caps are set.' });
          onClose();
        },
      },
    );
  };
  return (
    <Dialog title="Spending without approval" onClose={onClose}>
      <form className="stack" onSubmit={submit} noValidate>
        <LamportsField
          label="A payment"
          lamports={call}
          onChange={setCall}
          error={fault(call)}
          hint="0 asks every time."
        />
        <LamportsField
          label="A day"
          lamports={day}
          onChange={setDay}
          error={fault(day)}
          hint="0 asks every time. Days end at midnight UTC; pending payments count."
        />
        <p role="status" className="quiet">
          {call !== undefined && day !== undefined && formatCaps({ per_call_lamports: call, per_day_lamports: day })}
        </p>
        {set.error && <ErrorPanel what="The caps were not set." error={set.error} />}
        <FormActions submitLabel="Set caps" closeLabel="Cancel" isBusy={set.isPending} onClose={onClose} />
      </form>
    </Dialog>
  );
}
