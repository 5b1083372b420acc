import type { Approval } from '../../../daemon/contract/payments.js';
import { DecisionQuestion } from '../../components/decision-question.js';
import { useToast } from '../../components/toasts.js';
import { ApiError } from '../../lib/api.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { toIsoTime } from '../../lib/format/epoch.js';
import { formatLamports, formatSol } from '../../lib/format/lamports.js';
import { useNow } from '../../lib/use-now.js';
import { Address } from './address.js';
import {
  APPROVAL_KEYS,
  approvalOfKey,
  decisionLabels,
  formatApprovalWait,
  type SpendDecision,
} from './approval-format.js';
import { NetworkMark } from './network-mark.js';
import { useDecidePayment } from './payments-mutations.js';

interface ApprovalQuestionProps {
  approval: Approval;
  /** Takes the focus when it appears, unless the user is typing. */
  isFirst?: boolean;
}

/** A payment over the caps: to whom, for what, how much, over which cap, and until when. */
export function ApprovalQuestion({ approval, isFirst = false }: ApprovalQuestionProps) {
  const { call_id, agent, skill, amount_lamports, network, real, address, reason, created_at, expires_at } = approval;
  const decide = useDecidePayment(call_id);
  const say = useToast();
  const now = useNow(1_000);
  const answer = (decision: SpendDecision) =>
    decide.mutate(decision, {
      onError: (error) =>
        say({
          tone: 'failed',
          text:
            error instanceof ApiError && (error.status === 404 || error.status === 409)
              ? 'Already decided or expired.'
              : error.message,
        }),
    });
  return (
    <DecisionQuestion
      what={
        <>
          Pay {formatLamports(amount_lamports)} to {toDisplayText(agent)} for <code>{toDisplayText(skill)}</code>?
        </>
      }
      asked={toIsoTime(created_at)}
      wait={formatApprovalWait(expires_at, now)}
      choices={APPROVAL_KEYS}
      words={decisionLabels}
      choiceOfKey={approvalOfKey}
      onDecide={answer}
      isPending={decide.isPending}
      isFirst={isFirst}
      isInRow
      isSmall
    >
      <p className="cluster">
        <span>{formatSol(amount_lamports)}</span>
        <NetworkMark network={network} isReal={real} />
      </p>
      {reason !== '' && <p dir="auto">{toDisplayText(reason)}</p>}
      {address !== '' && (
        <p className="small">
          To <Address address={address} />
        </p>
      )}
    </DecisionQuestion>
  );
}
