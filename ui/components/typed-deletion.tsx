import { type FormEvent, type ReactNode, useState } from 'react';
import { toDisplayText } from '../lib/format/display-text.js';
import { Button } from './button.js';
import { Dialog, DialogActions } from './dialog.js';
import { TextField } from './field.js';
import { ErrorPanel } from './states.js';

interface TypedDeletionProps {
  title: string;
  /** The word that has to be typed first. */
  word: string;
  isMono?: boolean;
  /** Label of the button that opens the dialog. */
  label: ReactNode;
  isSmall?: boolean;
  reasonDisabled?: string | undefined;
  /** What is deleted as well. */
  children: ReactNode;
  /** Label of the button that deletes. */
  confirmLabel: string;
  /** Shown when the deletion fails. */
  failure: string;
  error: unknown;
  isPending: boolean;
  /**
   * What it starts may outlive the dialog: the page may learn of the deletion by an event before the response arrives.
   */
  onDelete: () => void;
}

/** A deletion that requires a word to be typed, because little or nothing of what is deleted can be restored. */
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
                reasonDisabled={isRight ? undefined : `Type ${toDisplayText(word)} first.`}
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
