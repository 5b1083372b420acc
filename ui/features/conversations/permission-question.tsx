import { lazy, Suspense, useState } from 'react';
import type { Decision, Permission } from '../../../daemon/contract/conversations.js';
import type { NewRule } from '../../../daemon/contract/permissions.js';
import { DecisionQuestion } from '../../components/decision-question.js';
import { useToast } from '../../components/toasts.js';
import { ApiError } from '../../lib/api.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { useNow } from '../../lib/use-now.js';
import { DECISION_KEYS, decisionLabels, decisionOfKey, formatAsked, formatWait } from './conversation-format.js';
import { useDecide } from './conversation-mutations.js';

const AskedDetail = lazy(() => import('./asked/asked-detail.js'));

interface PermissionQuestionProps {
  permission: Permission;
  who: string;
  /** Takes the focus when it appears, unless the user is typing. */
  isFirst?: boolean;
  isSmall?: boolean;
}

/** A permission request: what it would do, why, until when, and for how long the decision holds. */
export function PermissionQuestion({ permission, who, isFirst = false, isSmall = false }: PermissionQuestionProps) {
  const { conv, pid, reason, always, scopes } = permission;
  const [narrowest] = always;
  const [rule, setRule] = useState<NewRule | undefined>(narrowest && { ...narrowest, scope: 'conversation' });
  // Without a rule that would cover it, there is nothing to always allow.
  const choices = rule ? DECISION_KEYS : DECISION_KEYS.filter((choice) => choice !== 'allow_always');
  const words =
    rule?.scope === 'member' && scopes.includes('member')
      ? { ...decisionLabels, allow_always: `Always for ${who}` }
      : decisionLabels;
  const decide = useDecide(conv);
  const say = useToast();
  const now = useNow(1_000);
  const answer = (decision: Decision) =>
    decide.mutate(
      { pid, decision, ...(decision === 'allow_always' && rule && { always: rule }) },
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
      asked={permission.created_at}
      wait={formatWait(permission.expires_at, now)}
      choices={choices}
      words={words}
      choiceOfKey={(event) => decisionOfKey(event, choices)}
      onDecide={answer}
      isPending={decide.isPending}
      isFirst={isFirst}
      isInRow={isSmall}
      isSmall={isSmall}
    >
      {reason !== '' && <p dir="auto">{toDisplayText(reason)}</p>}
      <Suspense fallback={<p className="small quiet">Loading what it would do…</p>}>
        <AskedDetail permission={permission} who={who} rule={rule} onRule={setRule} />
      </Suspense>
    </DecisionQuestion>
  );
}
