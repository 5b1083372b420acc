import type { ReceiptVerdict } from '../../../daemon/contract/asks.js';
import { Notice } from '../../components/notes.js';
import { toDisplayText } from '../../lib/display-text.js';

/** Whether a receipt is valid, and if not, why. */
export function ReceiptVerdictNotice({ verdict: { valid, known, reasons } }: { verdict: ReceiptVerdict }) {
  return (
    <div role="status">
      {valid ? (
        <Notice tone="well">
          <p>
            <strong>Valid.</strong> The signature matches question, answer and citations
            {known ? ', and the key is this daemon’s own.' : '. The key is not this daemon’s.'}
          </p>
        </Notice>
      ) : (
        <Notice tone="failed">
          <p>
            <strong>Not valid.</strong>
          </p>
          <ul>
            {reasons.map((reason) => (
              <li key={reason}>{toDisplayText(reason)}</li>
            ))}
          </ul>
        </Notice>
      )}
    </div>
  );
}
