import { Link } from '@tanstack/react-router';
import type { MemberDetail } from '../../../daemon/contract/team.js';
import { buttonClass } from '../../components/button.js';
import { Notice } from '../../components/notes.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { findHold } from './is-open.js';

/**
 * The settings of prices, payment and skills in the file that are not active, field by field. The member itself works.
 */
export function UnservedNotice({ member }: { member: MemberDetail }) {
  const { id } = member;
  const hold = findHold(member);
  if (hold !== undefined && member.exposure_hold === 'tests') return <HeldNotice id={id} hold={hold} />;
  // Any other reason to keep it internal is the operator's decision and has its own notice.
  const warnings = (member.warnings ?? []).filter(({ path }) => path !== 'exposure');
  if (warnings.length === 0) return null;
  return (
    <Notice tone="needs">
      <p>
        <strong>Some settings in this file are not active.</strong> The member works; the settings listed here do not.
      </p>
      <ul>
        {warnings.map(({ path, reason }) => (
          <li key={`${path} ${reason}`}>{toDisplayText(reason)}</li>
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

/** The file exposes the member but its tests block it. Until they pass, callers get nothing of the file. */
function HeldNotice({ id, hold }: { id: string; hold: string }) {
  return (
    <Notice tone="needs">
      <p>
        <strong>This member is internal, although its file exposes it.</strong> {toDisplayText(hold)}
      </p>
      <p>
        <Link to="/team/$id" params={{ id }} search={{ tab: 'tests' }} className={buttonClass()}>
          Show its tests
        </Link>
      </p>
    </Notice>
  );
}
