import { type FormEvent, useState } from 'react';
import type { Receipt } from '../../../../daemon/contract/asks.js';
import { Button } from '../../../components/button.js';
import { TextArea } from '../../../components/field.js';
import { Section } from '../../../components/section.js';
import { ErrorPanel } from '../../../components/states.js';
import { useVerifyReceipt } from '../../asks/asks-mutations.js';
import { ReceiptVerdictNotice } from '../../asks/receipt-verdict.js';
import styles from '../payments.module.css';
import { receiptIn } from './receipt-text.js';

/** Verifies a pasted receipt: whether its signature is valid, and whose it is. */
export function ReceiptCheck() {
  const verify = useVerifyReceipt();
  const [text, setText] = useState('');
  const [fault, setFault] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const read = receiptIn(text);
    setFault(read.fault);
    if (read.receipt) verify.mutate({ receipt: read.receipt as Receipt });
  };
  return (
    <Section title="Verify a receipt">
      <form className={styles.receipt} onSubmit={submit} noValidate>
        <TextArea
          label="Receipt, as JSON"
          hint="Every answer has one, under “receipt”. It proves what was asked, answered and charged."
          isCode
          rows={4}
          value={text}
          error={fault}
          onChange={(event) => {
            setText(event.target.value);
            setFault(undefined);
            verify.reset();
          }}
        />
        <p>
          <Button type="submit" isBusy={verify.isPending}>
            Verify
          </Button>
        </p>
        {verify.error && <ErrorPanel what="The receipt could not be verified." error={verify.error} />}
        {verify.data && <ReceiptVerdictNotice verdicts={verify.data} />}
      </form>
    </Section>
  );
}
