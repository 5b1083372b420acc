import { type Deletion, takesFocusOnce } from '../lib/deletions.js';
import { toDisplayText } from '../lib/format/display-text.js';
import { useNow } from '../lib/use-now.js';
import { Button } from './button.js';
import styles from './pending-deletion.module.css';

/** A list row in place of an item that is about to be deleted. */
export function DeletionRow({ deletion }: { deletion: Deletion }) {
  return (
    <li className={styles.row}>
      <PendingDeletion deletion={deletion} />
    </li>
  );
}

/**
 * A pending deletion with its remaining time and an undo button. `what` replaces the title when that is shown beside
 * it.
 */
export function PendingDeletion({ deletion, what }: { deletion: Deletion; what?: string }) {
  const now = useNow(1_000);
  return (
    <>
      <p>
        {what ?? `“${toDisplayText(deletion.title)}”`} is deleted in{' '}
        <span className="mono">{Math.max(0, Math.ceil((deletion.at - now) / 1_000))} s</span>.
      </p>
      <Button isSmall ref={takesFocusOnce(deletion)} onClick={() => deletion.calledOff.abort()}>
        Undo
        <span className="visually-hidden">
          {' '}
          the deletion{what === undefined && ` of ${toDisplayText(deletion.title)}`}
        </span>
      </Button>
    </>
  );
}
