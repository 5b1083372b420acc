import type { Decision, Permission } from '../../../daemon/contract/conversations.js';
import { DecisionQuestion } from '../../components/decision-question.js';
import { useToast } from '../../components/toasts.js';
import { ApiError } from '../../lib/api.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { useNow } from '../../lib/use-now.js';
import { DECISION_KEYS, decisionLabels, decisionOfKey, formatAsked, formatWait } from './conversation-format.js';
import { useDecide } from './conversation-mutations.js';

interface PermissionQuestionProps {
  permission: Permission;
  who: string;
  /** Takes the focus when it appears, unless the user is typing. */
  isFirst?: boolean;
  isSmall?: boolean;
}

/** A permission request: what, why, until when, and for how long the decision holds. */
export function PermissionQuestion({ permission, who, isFirst = false, isSmall = false }: PermissionQuestionProps) {
  const { conv, pid, reason } = permission;
  const decide = useDecide(conv);
  const say = useToast();
  const now = useNow(1_000);
  const answer = (decision: Decision) =>
    decide.mutate(
      { pid, decision },
      {
        onError: (error) =>
          say({
            tone: 'failed',
            text:
              error instanceof ApiError && error.status === 404
                ? 'That question is over: answered or expired.'
                : error.message,
          }),
      },
    );
  return (
    <DecisionQuestion
      what={
        <>
          {who} asks: <code>{formatAsked(permission)}</code>
        </>
      }
      wait={formatWait(permission.expires_at, now)}
      choices={DECISION_KEYS}
      words={decisionLabels}
      choiceOfKey={decisionOfKey}
      onDecide={answer}
      isPending={decide.isPending}
      isFirst={isFirst}
      isInRow={isSmall}
      isSmall={isSmall}
    >
      {reason !== '' && <p>{toDisplayText(reason)}</p>}
    </DecisionQuestion>
  );
}
