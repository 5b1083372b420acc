import { type FormEvent, type ReactNode, useState } from 'react';
import { shownWords } from '../lib/shown-words.js';
import { Button } from './button.js';
import { Dialog, DialogActions } from './dialog.js';
import { TextField } from './field.js';
import { ErrorPanel } from './states.js';

interface TypedDeletionProps {
  title: string;
  /** What has to be typed first. */
  word: string;
  isMono?: boolean;
  /** On the button that opens the question. */
  label: ReactNode;
  isSmall?: boolean;
  reasonDisabled?: string | undefined;
  /** What goes with it. */
  children: ReactNode;
  /** On the button that deletes. */
  confirmLabel: string;
  /** Said where it failed. */
  failure: string;
  error: unknown;
  isPending: boolean;
  /** May outlive the dialog: the page may hear of the deletion before its answer comes. */
  onDelete: () => void;
}

/** A deletion that asks for a word to be typed, because nothing or little brings back what goes. */
export function TypedDeletion({
  title,
  word,
  isMono = false,
  label,
  isSmall = false,
  reasonDisabled,
  children,
  confirmLabel,
  failure,
  error,
  isPending,
  onDelete,
}: TypedDeletionProps) {
  const [isAsking, setIsAsking] = useState(false);
  const [typed, setTyped] = useState('');
  const isRight = typed.trim() === word;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isRight && !isPending) onDelete();
  };
  return (
    <>
      <Button look="danger" isSmall={isSmall} reasonDisabled={reasonDisabled} onClick={() => setIsAsking(true)}>
        {label}
      </Button>
      {isAsking && (
        <Dialog title={title} onClose={() => setIsAsking(false)}>
          <form className="stack" onSubmit={submit}>
            <p>{children}</p>
            <TextField
              label={`Type ${word} to confirm`}
              className={isMono ? 'mono' : ''}
              autoFocus
              spellCheck={false}
              autoCapitalize="off"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
            {error != null && <ErrorPanel what={failure} error={error} />}
            <DialogActions>
              <Button onClick={() => setIsAsking(false)}>Cancel</Button>
              <Button
                look="danger"
                type="submit"
                isBusy={isPending}
                reasonDisabled={isRight ? undefined : `Type ${shownWords(word)} first.`}
              >
                {confirmLabel}
              </Button>
            </DialogActions>
          </form>
        </Dialog>
      )}
    </>
  );
}
