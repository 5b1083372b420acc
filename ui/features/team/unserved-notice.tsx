import { Link } from '@tanstack/react-router';
import type { MemberDetail } from '../../../daemon/contract/team.js';
import { buttonClass } from '../../components/button.js';
import { Notice } from '../../components/notes.js';
import { shownWords } from '../../lib/shown-words.js';

/** What the file declares of prices, payment and skills and callers do not get, field by field; the member itself is fine. */
export function UnservedNotice({ member: { id, warnings = [] } }: { member: MemberDetail }) {
  if (warnings.length === 0) return null;
  return (
    <Notice tone="needs">
      <p>
        <strong>Not everything in this file is offered to callers.</strong> The member works; what is listed here does not.
      </p>
      <ul>
        {warnings.map(({ path, reason }) => (
          <li key={`${path} ${reason}`}>{shownWords(reason)}</li>
        ))}
      </ul>
      <p>
        <Link to="/team/$id" params={{ id }} search={{ tab: 'file', as: 'raw' }} className={buttonClass()}>
          Mend the file
        </Link>
      </p>
    </Notice>
  );
}
