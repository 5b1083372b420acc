import type { Tier2Result } from '../../../daemon/contract/network/site.js';
import { Notice } from '../../components/notes.js';
import { toDisplayText } from '../../lib/format/display-text.js';

interface CardFailureProps {
  result: Tier2Result;
  /** What cannot be done without the card, as a sentence. */
  what: string;
}

/** Why an agent's public card could not be read. */
export function CardFailure({ result: { reason, message }, what }: CardFailureProps) {
  return (
    <Notice tone="failed">
      <p>
        <strong>{what}</strong> {message !== null && toDisplayText(message)}
      </p>
      {reason !== null && <code className="small quiet">{toDisplayText(reason)}</code>}
    </Notice>
  );
}
