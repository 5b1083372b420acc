import type { Approval } from '../../../daemon/contract/payments.js';
import questions from '../../components/decision-question.module.css';
import rows from '../../components/rows.module.css';
import { AgentFlag } from '../agents/agent-flag.js';
import { ApprovalQuestion } from './approval-question.js';

/** A payment that waits for the operator, with its decision buttons. */
export function ApprovalNeed({ approval }: { approval: Approval }) {
  return (
    <li className={`${questions.need} ${rows.needs}`}>
      <AgentFlag id={approval.agent} />
      <ApprovalQuestion approval={approval} />
    </li>
  );
}
