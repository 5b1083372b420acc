import { Link } from '@tanstack/react-router';
import type { MemberDetail } from '../../../daemon/contract/team.js';
import { buttonClass } from '../../components/button.js';
import { Notice } from '../../components/notes.js';
import { shownWords } from '../../lib/shown-words.js';
import { findHold } from './is-open.js';

/** What the file declares of prices, payment and skills and callers do not get, field by field; the member itself is fine. */
export function UnservedNotice({ member }: { member: MemberDetail }) {
  const { id } = member;
  const hold = findHold(member);
  if (hold !== undefined && member.exposure_hold === 'tests') return <HeldNotice id={id} hold={hold} />;
  // What else keeps it internal is for the operator to decide, and has a notice of its own.
  const warnings = (member.warnings ?? []).filter(({ path }) => path !== 'exposure');
  if (warnings.length === 0) return null;
  return (
    <Notice tone="needs">
      <p>
        <strong>Some settings in this file are not active.</strong> The member works; the settings listed here do not.
      </p>
      <ul>
        {warnings.map(({ path, reason }) => (
          <li key={`${path} ${reason}`}>{shownWords(reason)}</li>
        ))}
      </ul>
      <p>
        <Link to="/team/$id" params={{ id }} search={{ tab: 'file', as: 'raw' }} className={buttonClass()}>
          Fix the file
        </Link>
      </p>
    </Notice>
  );
}

/** Its file opens the member and its tests do not let it: nothing else of the file is offered to callers until then either. */
function HeldNotice({ id, hold }: { id: string; hold: string }) {
  return (
    <Notice tone="needs">
      <p>
        <strong>This member is internal, although its file exposes it.</strong> {shownWords(hold)}
      </p>
      <p>
        <Link to="/team/$id" params={{ id }} search={{ tab: 'tests' }} className={buttonClass()}>
          Show its tests
        </Link>
      </p>
    </Notice>
  );
}
