import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { Button } from './button.js';
import styles from './decision-question.module.css';

interface DecisionQuestionProps<T extends string> {
  what: ReactNode;
  children?: ReactNode;
  /** When it was asked, as text that sorts by time. */
  asked: string;
  /** The deadline of the question. */
  wait: string;
  /** In the order of their keys. One of them is `deny`. */
  choices: readonly T[];
  words: Readonly<Record<T, string>>;
  choiceOfKey: (event: KeyboardEvent) => T | undefined;
  onDecide: (choice: T) => void;
  isPending: boolean;
  /** Takes the focus when it appears, unless the user is typing. */
  isFirst?: boolean;
  /** Without the margin that a transcript needs. */
  isInRow?: boolean;
  isSmall?: boolean;
}

/**
 * A message field without text does not count as typing, nor does a field that received the focus only because the
 * focused element was removed.
 */
const isTyping = (target: Element | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.matches(':is(input, textarea:not(:placeholder-shown), select):not([data-placed])'));

/**
 * A question to the operator, answered by buttons or by digit keys. The focus goes to Deny. Where single-key shortcuts
 * work, the newest question of the page takes the digits too (`data-asked`).
 */
export function DecisionQuestion<T extends string>({
  what,
  children,
  asked,
  wait,
  choices,
  words,
  choiceOfKey,
  onDecide,
  isPending,
  isFirst = false,
  isInRow = false,
  isSmall = false,
}: DecisionQuestionProps<T>) {
  const box = useRef<HTMLFieldSetElement>(null);
  const decide = (choice: T) => {
    if (!isPending) onDecide(choice);
  };
  useEffect(() => {
    if (!isFirst || isTyping(document.activeElement) || document.querySelector('dialog:modal')) return;
    box.current?.querySelector<HTMLElement>('[data-deny]')?.focus({ preventScroll: true });
  }, [isFirst]);
  return (
    <fieldset
      ref={box}
      data-asked={asked}
      className={[styles.question, isInRow && styles.inRow].filter(Boolean).join(' ')}
      onKeyDown={(event) => {
        const choice = event.repeat ? undefined : choiceOfKey(event);
        if (choice === undefined) return;
        event.preventDefault();
        decide(choice);
      }}
    >
      <legend className={styles.what}>{what}</legend>
      {children}
      <p className={styles.wait}>{wait}</p>
      <div className="cluster">
        {choices.map((choice, at) => (
          <Button
            key={choice}
            isSmall={isSmall}
            isBusy={isPending}
            data-deny={choice === 'deny' ? '' : undefined}
            aria-keyshortcuts={String(at + 1)}
            onClick={() => decide(choice)}
          >
            <kbd>{at + 1}</kbd>
            {words[choice]}
          </Button>
        ))}
      </div>
    </fieldset>
  );
}
