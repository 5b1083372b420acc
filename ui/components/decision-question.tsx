import { type KeyboardEvent, type ReactNode, type UIEvent, useEffect, useReducer, useRef, useState } from 'react';
import { Button } from './button.js';
import styles from './decision-question.module.css';

/** A key that comes sooner was meant for something else. */
const READ_MS = 700;

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
 * Whether keys answer: not before the question could be read (`isRead`), nor while one goes on typing what was begun in
 * the field that it took the focus from. `stray` notes a key that is no answer.
 */
function useTakesKeys() {
  const [strays, stray] = useReducer((count: number) => count + 1, 0);
  const [read, setRead] = useState(-1);
  useEffect(() => {
    const timer = setTimeout(() => setRead(strays), READ_MS);
    return () => clearTimeout(timer);
  }, [strays]);
  return { takesKeys: read === strays, isRead: read >= 0, stray };
}

/** Whether a character was typed while a button had the focus: it was meant for a text field. */
const isLetterOn = ({ key, ctrlKey, metaKey, altKey, target }: KeyboardEvent) =>
  target instanceof HTMLButtonElement && /^\S$/.test(key) && !ctrlKey && !metaKey && !altKey;

/**
 * A question to the operator, answered by buttons or by digit keys. The focus goes to Deny. Where single-key shortcuts
 * work, the newest question of the page takes the digits too (`data-asked`). `aria-keyshortcuts` says when it takes
 * keys.
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
  const { takesKeys, isRead, stray } = useTakesKeys();
  // A click without a press of the pointer is one of Enter or Space.
  const decide = (choice: T, { detail }: UIEvent) => {
    if (!isPending && (takesKeys || detail > 0)) onDecide(choice);
  };
  const pressed = (event: KeyboardEvent) => {
    const choice = event.repeat ? undefined : choiceOfKey(event);
    if (choice !== undefined) decide(choice, event);
    else if (isLetterOn(event)) stray();
    if (choice !== undefined || (isLetterOn(event) && !isRead)) event.preventDefault();
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
      onKeyDown={pressed}
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
            aria-keyshortcuts={takesKeys ? String(at + 1) : undefined}
            onClick={(event) => decide(choice, event)}
          >
            <kbd>{at + 1}</kbd>
            {words[choice]}
          </Button>
        ))}
      </div>
    </fieldset>
  );
}
