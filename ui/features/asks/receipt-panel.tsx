import { Button } from '../../components/button.js';
import { KeyValue } from '../../components/notes.js';
import { ErrorPanel } from '../../components/states.js';
import { CopyButton } from '../../components/text/copy-button.js';
import { type ReceiptToVerify, useVerifyReceipt } from './asks-mutations.js';
import { ReceiptVerdictNotice } from './receipt-verdict.js';

/** The receipt of a request, and its verification. With `record` the fields on the page are verified as well. */
export function ReceiptPanel({ receipt, record }: ReceiptToVerify) {
  const verify = useVerifyReceipt();
  return (
    <div className="stack">
      <KeyValue
        rows={[
          ['Key', <code key="key">{receipt.pubkey}</code>],
          ['Answer', <code key="answer">sha256 {receipt.answer_sha256.slice(0, 16)}…</code>],
          ['Member file', <code key="file">sha256 {receipt.member_sha256.slice(0, 16)}…</code>],
        ]}
      />
      <div className="cluster">
        <Button isSmall isBusy={verify.isPending} onClick={() => verify.mutate({ receipt, record })}>
          Verify
        </Button>
        <CopyButton text={() => JSON.stringify(receipt, null, 2)} label="Copy receipt" />
      </div>
      {verify.error && <ErrorPanel what="The receipt could not be verified." error={verify.error} />}
      {verify.data && <ReceiptVerdictNotice verdicts={verify.data} />}
    </div>
  );
}
