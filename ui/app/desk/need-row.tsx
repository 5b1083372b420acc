import { Link } from '@tanstack/react-router';
import type { Member } from '../../../daemon/contract/team.js';
import rows from '../../components/rows.module.css';
import { StatusMark, statusWord } from '../../components/status-mark.js';
import { Flag } from '../../components/text/flag.js';
import { Ago } from '../../components/text/time.js';
import { RequestHead } from '../../features/asks/request-head.js';
import { BudgetNeed } from '../../features/budgets/budget-need.js';
import { PermissionNeed } from '../../features/conversations/permission-need.js';
import { WaitingMembers } from '../../features/exposure/waiting-members.js';
import { ApprovalNeed } from '../../features/payments/approval-need.js';
import { fetched } from '../../lib/fetched.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import type { Need } from '../needs-you.js';
import styles from './desk.module.css';

const ScheduleNeed = fetched(() => import('../../features/schedules/schedule-need.js'));

/** Something that waits for the operator, with a link to it. */
export function NeedRow({
  need,
  members,
  exposed,
}: {
  need: Need;
  members: readonly Member[];
  exposed: ReadonlySet<string>;
}) {
  if (need.kind === 'permission') {
    const { member: id } = need.permission;
    const who = members.find((member) => member.id === id)?.name ?? id ?? 'An agent';
    return <PermissionNeed permission={need.permission} who={who} isExposed={exposed.has(id ?? '')} />;
  }
  if (need.kind === 'payment') return <ApprovalNeed approval={need.approval} />;
  if (need.kind === 'budget') return <BudgetNeed budget={need.budget} />;
  if (need.kind === 'broken') return <BrokenRow member={need.member} isExposed={exposed.has(need.member.id)} />;
  if (need.kind === 'exposure')
    return (
      <li className={`${styles.exposure} ${rows.needs}`}>
        <WaitingMembers members={need.members} />
      </li>
    );
  if (need.kind === 'scheduled') return <ScheduleNeed schedule={need.schedule} run={need.run} />;
  const { request } = need;
  return (
    <li className={`${styles.need} ${need.kind === 'failed' ? rows.trouble : rows.needs}`}>
      <RequestHead request={request} isRaised={need.kind === 'question'} isExposed={exposed.has(request.member)}>
        {request.member} · <Ago at={need.at} />
        {request.error && ` · ${toDisplayText(request.error.message)}`}
      </RequestHead>
      <StatusMark word={statusWord(request.status, request.error?.code)} />
    </li>
  );
}

function BrokenRow({ member, isExposed }: { member: Member; isExposed: boolean }) {
  const { id, name, problem } = member;
  return (
    <li className={`${styles.need} ${rows.trouble}`}>
      <Flag id={id} isExposed={isExposed} />
      <div className={styles.words}>
        <Link to="/team/$id" params={{ id }} className={rows.main} data-row="">
          {toDisplayText(name)}: the file cannot be read
        </Link>
        <p className="small quiet truncate">
          {problem && toDisplayText(`line ${problem.line}, column ${problem.column}: ${problem.reason}`)}
        </p>
      </div>
      <StatusMark word="needs you" />
    </li>
  );
}
