import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { Button } from './button.js';
import styles from './decision-question.module.css';

interface DecisionQuestionProps<T extends string> {
  /** The question itself. */
  what: ReactNode;
  children?: ReactNode;
  /** Until when it stands. */
  wait: string;
  /** In the order of their keys; one of them is `deny`. */
  choices: readonly T[];
  words: Readonly<Record<T, string>>;
  choiceOfKey: (event: KeyboardEvent) => T | undefined;
  onDecide: (choice: T) => void;
  isPending: boolean;
  /** Takes the focus when it comes, unless somebody types. */
  isFirst?: boolean;
  /** Without the room around it that a transcript wants. */
  isInRow?: boolean;
  isSmall?: boolean;
}

/** A field in which the focus was only put, when what had it went away, is not typed in yet. */
const isTyping = (target: Element | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches(':is(input, textarea, select):not([data-placed])'));

/** A question that waits for the operator, answered by buttons or by digits. Deny is where the focus goes. */
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
    // The keys act on its buttons only: nowhere else on the page does a stray one allow anything.
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
