import { useEffect, useRef } from 'react';
import type { Approval } from '../../../daemon/contract/payments.js';
import { Button } from '../../components/button.js';
import { useNow } from '../../components/time.js';
import { useToast } from '../../components/toasts.js';
import { ApiError } from '../../lib/api.js';
import { lamportsWords, solWords } from '../../lib/lamports.js';
import { shownWords } from '../../lib/shown-words.js';
import { APPROVAL_KEYS, approvalOfKey, approvalWaitWords, decisionWords, type SpendDecision } from './approval-words.js';
import { NetworkMark } from './network-mark.js';
import styles from './payments.module.css';
import { useDecidePayment } from './payments-mutations.js';

interface ApprovalQuestionProps {
  approval: Approval;
  /** Takes the focus when it comes, unless somebody types. */
  isFirst?: boolean;
}

const isTyping = (target: Element | null) =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));

/** May it be paid? To whom, for what, how much, over which cap, until when. Deny is where the focus goes. */
export function ApprovalQuestion({ approval, isFirst = false }: ApprovalQuestionProps) {
  const { call_id, agent, skill, amount_lamports, network, real, address, reason, expires_at } = approval;
  const decide = useDecidePayment(call_id);
  const say = useToast();
  const now = useNow(1_000);
  const box = useRef<HTMLFieldSetElement>(null);

  const answer = (decision: SpendDecision) => {
    if (decide.isPending) return;
    decide.mutate(decision, {
      onError: (error) =>
        say({
          tone: 'failed',
          text:
            error instanceof ApiError && (error.status === 404 || error.status === 409)
              ? 'That is over: decided or expired.'
              : error.message,
        }),
    });
  };
  useEffect(() => {
    if (!isFirst || isTyping(document.activeElement) || document.querySelector('dialog:modal')) return;
    box.current?.querySelector<HTMLElement>('[data-deny]')?.focus({ preventScroll: true });
  }, [isFirst]);
  return (
    // The keys act on its buttons only: nowhere else on the page does a stray one spend anything.
    <fieldset
      ref={box}
      className={styles.question}
      onKeyDown={(event) => {
        const decision = event.repeat ? undefined : approvalOfKey(event);
        if (!decision) return;
        event.preventDefault();
        answer(decision);
      }}
    >
      <legend className={styles.what}>
        Pay {lamportsWords(amount_lamports)} to {shownWords(agent)} for <code>{shownWords(skill)}</code>?
      </legend>
      <p className="cluster">
        <span>{solWords(amount_lamports)}</span>
        <NetworkMark network={network} isReal={real} />
      </p>
      {reason !== '' && <p>{shownWords(reason)}</p>}
      {address !== '' && (
        <p className={`${styles.address} small`}>
          To <span className="mono">{shownWords(address)}</span>
        </p>
      )}
      <p className={styles.wait}>{approvalWaitWords(expires_at, now)}</p>
      <div className="cluster">
        {APPROVAL_KEYS.map((decision, at) => (
          <Button
            key={decision}
            isSmall
            isBusy={decide.isPending}
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
