import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { Button } from './button.js';
import styles from './decision-question.module.css';

interface DecisionQuestionProps<T extends string> {
  what: ReactNode;
  children?: ReactNode;
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

/** A field that received the focus only because the focused element was removed does not count as typing. */
const isTyping = (target: Element | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches(':is(input, textarea, select):not([data-placed])'));

/** A question to the operator, answered by buttons or by digit keys. The focus goes to Deny. */
export function DecisionQuestion<T extends string>({
  what,
  children,
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
    // The keys work only inside this fieldset, so that a stray key elsewhere on the page allows nothing.
    <fieldset
      ref={box}
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
