import { useEffect, useRef } from 'react';
import type { Decision, Permission } from '../../../daemon/contract/conversations.js';
import { Button } from '../../components/button.js';
import { useNow } from '../../components/time.js';
import { useToast } from '../../components/toasts.js';
import { ApiError } from '../../lib/api.js';
import { shownWords } from '../../lib/shown-words.js';
import { useDecide } from './conversation-mutations.js';
import { askedWords, DECISION_KEYS, decisionOfKey, decisionWords, waitWords } from './conversation-words.js';
import styles from './permission-question.module.css';

interface PermissionQuestionProps {
  permission: Permission;
  who: string;
  /** Takes the focus when it comes, unless somebody types. */
  isFirst?: boolean;
  isSmall?: boolean;
}

const isTyping = (target: Element | null) =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));

/** May it do this? What, why, until when, and for how long the answer holds. Deny is where the focus goes. */
export function PermissionQuestion({ permission, who, isFirst = false, isSmall = false }: PermissionQuestionProps) {
  const { conv, pid, reason } = permission;
  const decide = useDecide(conv);
  const say = useToast();
  const now = useNow(1_000);
  const box = useRef<HTMLFieldSetElement>(null);
  const isPending = decide.isPending;

  const answer = (decision: Decision) => {
    if (isPending) return;
    decide.mutate(
      { pid, decision },
      {
        onError: (error) =>
          say({
            tone: 'failed',
            text: error instanceof ApiError && error.status === 404 ? 'That question is over: answered or expired.' : error.message,
          }),
      },
    );
  };
  useEffect(() => {
    if (!isFirst || isTyping(document.activeElement) || document.querySelector('dialog:modal')) return;
    box.current?.querySelector<HTMLElement>('[data-deny]')?.focus({ preventScroll: true });
  }, [isFirst]);
  return (
    // The keys act on its buttons only: nowhere else on the page does a stray one allow anything.
    <fieldset
      ref={box}
      className={isSmall ? `${styles.question} ${styles.small}` : styles.question}
      onKeyDown={(event) => {
        const decision = event.repeat ? undefined : decisionOfKey(event);
        if (!decision) return;
        event.preventDefault();
        answer(decision);
      }}
    >
      <legend className={styles.what}>
        {who} asks: <code>{askedWords(permission)}</code>
      </legend>
      {reason !== '' && <p>{shownWords(reason)}</p>}
      <p className={styles.wait}>{waitWords(permission.expires_at, now)}</p>
      <div className="cluster">
        {DECISION_KEYS.map((decision, at) => (
          <Button
            key={decision}
            isSmall={isSmall}
            isBusy={isPending}
            data-deny={decision === 'deny' ? '' : undefined}
            aria-keyshortcuts={String(at + 1)}
            onClick={() => answer(decision)}
          >
            <kbd>{at + 1}</kbd>
            {decisionWords[decision]}
          </Button>
        ))}
      </div>
    </fieldset>
  );
}
