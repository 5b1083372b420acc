import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { toDisplayText } from '../lib/format/display-text.js';
import { Button } from './button.js';
import { useDaemonGone } from './daemon-gone.js';
import styles from './dialog.module.css';
import { Notice } from './notes.js';
import { Icon } from './text/icon.js';
import { InTerminal } from './text/in-terminal.js';

interface DialogProps {
  title: string;
  onClose: () => void;
  isWide?: boolean;
  children: ReactNode;
}

/**
 * A modal dialog in the browser's top layer. Focus stays inside, Esc and a press outside close it, and focus returns to
 * where it was. Mounting opens it.
 */
export function Dialog({ title, onClose, isWide = false, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // The dialog is closed while it is still in the document: after removal it would not restore the focus.
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (dialog && !dialog.open) {
      dialog.showModal();
      // Focuses the first field. The browser would choose the first button, which closes the dialog.
      dialog.querySelector<HTMLElement>('input, textarea, select')?.focus();
    }
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      aria-labelledby={titleId}
      // A click handler would also see the end of a drag that began inside, as when text is selected.
      closedby="any"
      className={isWide ? `${styles.dialog} ${styles.wide}` : styles.dialog}
      onCancel={(event) => {
        // A file input within sends one that bubbles when its picker is dismissed.
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        onClose();
      }}
    >
      <div className={styles.head}>
        <h2 id={titleId}>{toDisplayText(title)}</h2>
        <Button look="quiet" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </Button>
      </div>
      <Gone />
      <div className={styles.body}>{children}</div>
    </dialog>
  );
}

/** Says that the daemon does not answer. The style sheet hides it in dialogs that only show something. */
function Gone() {
  const start = useDaemonGone();
  return (
    <div aria-live="polite" className={styles.gone}>
      {start !== undefined && (
        <Notice tone="failed">
          <p>The daemon of this project does not answer. What you typed is kept while this is open.</p>
          <InTerminal command={start} />
        </Notice>
      )}
    </div>
  );
}

export function DialogActions({ children }: { children: ReactNode }) {
  return <div className={styles.actions}>{children}</div>;
}

interface FormActionsProps {
  submitLabel: string;
  closeLabel?: string;
  isBusy: boolean;
  reasonDisabled?: string | undefined;
  onClose: () => void;
}

/** The buttons of a form in a dialog: one closes the dialog, one submits the form. */
export function FormActions({ submitLabel, closeLabel = 'Close', isBusy, reasonDisabled, onClose }: FormActionsProps) {
  return (
    <DialogActions>
      <Button onClick={onClose}>{closeLabel}</Button>
      <Button look="primary" type="submit" isBusy={isBusy} reasonDisabled={reasonDisabled}>
        {submitLabel}
      </Button>
    </DialogActions>
  );
}
