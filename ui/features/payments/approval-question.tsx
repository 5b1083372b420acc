import type { Approval } from '../../../daemon/contract/payments.js';
import { DecisionQuestion } from '../../components/decision-question.js';
import { useToast } from '../../components/toasts.js';
import { ApiError } from '../../lib/api.js';
import { lamportsWords, solWords } from '../../lib/lamports.js';
import { shownWords } from '../../lib/shown-words.js';
import { useNow } from '../../lib/use-now.js';
import { Address } from './address.js';
import {
  APPROVAL_KEYS,
  approvalOfKey,
  approvalWaitWords,
  decisionWords,
  type SpendDecision,
} from './approval-words.js';
import { NetworkMark } from './network-mark.js';
import { useDecidePayment } from './payments-mutations.js';

interface ApprovalQuestionProps {
  approval: Approval;
  /** Takes the focus when it appears, unless the user is typing. */
  isFirst?: boolean;
}

/** A payment over the caps: to whom, for what, how much, over which cap, and until when. */
export function ApprovalQuestion({ approval, isFirst = false }: ApprovalQuestionProps) {
  const { call_id, agent, skill, amount_lamports, network, real, address, reason, expires_at } = approval;
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
          Pay {lamportsWords(amount_lamports)} to {shownWords(agent)} for <code>{shownWords(skill)}</code>?
        </>
      }
      wait={approvalWaitWords(expires_at, now)}
      choices={APPROVAL_KEYS}
      words={decisionWords}
      choiceOfKey={approvalOfKey}
      onDecide={answer}
      isPending={decide.isPending}
      isFirst={isFirst}
      isInRow
      isSmall
    >
      <p className="cluster">
        <span>{solWords(amount_lamports)}</span>
        <NetworkMark network={network} isReal={real} />
      </p>
      {reason !== '' && <p>{shownWords(reason)}</p>}
      {address !== '' && (
        <p className="small">
          To <Address address={address} />
        </p>
      )}
    </DecisionQuestion>
  );
}
