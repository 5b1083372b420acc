import type { Receipt } from '../../../daemon/contract/asks.js';
import { Button } from '../../components/button.js';
import { CopyButton } from '../../components/copy-button.js';
import { KeyValue, Notice } from '../../components/notes.js';
import { ErrorPanel } from '../../components/states.js';
import { useVerifyReceipt } from './asks-mutations.js';

/** The signed proof of a request, and whether it holds. */
export function ReceiptPanel({ receipt }: { receipt: Receipt }) {
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
        <Button isSmall isBusy={verify.isPending} onClick={() => verify.mutate(receipt)}>
          Verify
        </Button>
        <CopyButton text={() => JSON.stringify(receipt, null, 2)} label="Copy receipt" />
      </div>
      {verify.error && <ErrorPanel what="The receipt was not checked." error={verify.error} />}
      {verify.data && (
        <div role="status">
          {verify.data.valid ? (
            <Notice tone="well">
              <p>
                <strong>It holds.</strong> The signature fits question, answer and citations
                {verify.data.known ? ', and the key is this daemon’s own.' : '. The key is not this daemon’s.'}
              </p>
            </Notice>
          ) : (
            <Notice tone="failed">
              <p>
                <strong>It does not hold.</strong>
              </p>
              <ul>
                {verify.data.reasons.map((reason) => (
                  <li key={reason}>{reason}</li>
                ))}
              </ul>
            </Notice>
          )}
        </div>
      )}
    </div>
  );
}
