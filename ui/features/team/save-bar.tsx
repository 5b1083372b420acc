import type { ReactNode } from 'react';
import { Button } from '../../components/button.js';
import { Notice } from '../../components/notes.js';
import panels from '../../components/panels.module.css';
import { ErrorPanel } from '../../components/states.js';
import styles from './member-form.module.css';

interface SaveBarProps {
  isChanged: boolean;
  /** What is not saved, in words. */
  state: string;
  /** The notice of a file that changed on disk meanwhile. Nothing is saved before it is resolved. */
  conflict: ReactNode;
  error: Error | null;
  isSaving: boolean;
  onDiscard: () => void;
}

/** The end of a form that edits the member file: what stands in the way of saving, and the buttons. */
export function SaveBar({ isChanged, state, conflict, error, isSaving, onDiscard }: SaveBarProps) {
  return (
    <div className={`${panels.formBar} ${styles.bar}`}>
      {conflict && (
        <Notice tone="failed" isAlert>
          {conflict}
        </Notice>
      )}
      {error && !conflict && <ErrorPanel what="The file was not saved." error={error} />}
      <Button
        look="primary"
        type="submit"
        isBusy={isSaving}
        reasonDisabled={!isChanged ? 'Nothing has changed.' : conflict ? 'Resolve the conflict first.' : undefined}
      >
        Save
      </Button>
      {isChanged && <Button onClick={onDiscard}>Discard</Button>}
      <span className="quiet">{state}</span>
    </div>
  );
}
