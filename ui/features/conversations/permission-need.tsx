import { Link } from '@tanstack/react-router';
import type { WaitingPermission } from '../../../daemon/contract/conversations.js';
import questions from '../../components/decision-question.module.css';
import rows from '../../components/rows.module.css';
import { Flag } from '../../components/text/flag.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { PermissionQuestion } from './permission-question.js';

/** A permission that a running member waits for, with its decision buttons. */
export function PermissionNeed({
  permission,
  who,
  isExposed,
}: {
  permission: WaitingPermission;
  who: string;
  isExposed: boolean;
}) {
  const { conv, member, title } = permission;
  return (
    <li className={`${questions.need} ${rows.needs}`}>
      <Flag id={member ?? 'custom'} isRaised isExposed={isExposed} />
      <div className={questions.asked}>
        <p className="truncate">
          <Link to="/talk/$conv" params={{ conv }} data-row="">
            {toDisplayText(title)}
          </Link>
        </p>
        <PermissionQuestion permission={permission} who={who} isSmall />
      </div>
    </li>
  );
}
