import { Link } from '@tanstack/react-router';
import type { Conversation, Permission } from '../../../daemon/contract/conversations.js';
import { Flag } from '../../components/flag.js';
import rows from '../../components/rows.module.css';
import { PermissionQuestion } from './permission-question.js';
import styles from './permission-question.module.css';

/** A permission that a running member waits for, answered where it is seen. */
export default function PermissionNeed({
  permission,
  conversation,
  isExposed,
}: {
  permission: Permission;
  conversation: Conversation;
  isExposed: boolean;
}) {
  const { conv, member, agent_type, title } = conversation;
  return (
    <li className={`${styles.need} ${rows.needs}`}>
      <Flag id={member ?? agent_type} isRaised isExposed={isExposed} />
      <div>
        <p className="truncate">
          <Link to="/talk/$conv" params={{ conv }} data-row="">
            {title}
          </Link>
        </p>
        <PermissionQuestion permission={permission} who={member ?? `${agent_type} agent`} isSmall />
      </div>
    </li>
  );
}
