import type { SignatureCheck } from '../../../daemon/client/receipt-signature.js';
import { Notice } from '../../components/notes.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import type { ReceiptVerdicts } from './asks-mutations.js';

/** Whether a receipt is valid according to the daemon and to this browser, and if not, why. */
export function ReceiptVerdictNotice({ verdicts: { daemon, browser } }: { verdicts: ReceiptVerdicts }) {
  return (
    <div role="status" className="stack">
      {daemon.valid ? (
        <Notice tone="well">
          <p>
            <strong>Valid.</strong> The signature matches question, answer and citations
            {daemon.known ? ', and the key is this daemon’s own.' : '. The key is not this daemon’s.'}
          </p>
        </Notice>
      ) : (
        <Notice tone="failed">
          <p>
            <strong>Not valid.</strong>
          </p>
          <Reasons reasons={daemon.reasons} />
        </Notice>
      )}
      <BrowserCheckNotice check={browser} />
    </div>
  );
}

/** The result of the check in this browser; `check` is undefined when it could not be made. */
function BrowserCheckNotice({ check }: { check: SignatureCheck | undefined }) {
  if (check === undefined) return <Notice tone="info">Signature not verified in this browser: reload the page.</Notice>;
  if (check.valid) return <Notice tone="well">Signature verified in this browser.</Notice>;
  return (
    <Notice tone="failed">
      <p>Not verified in this browser:</p>
      <Reasons reasons={check.reasons} />
    </Notice>
  );
}

function Reasons({ reasons }: { reasons: readonly string[] }) {
  return (
    <ul>
      {reasons.map((reason) => (
        <li key={reason}>{toDisplayText(reason)}</li>
      ))}
    </ul>
  );
}
