import { Button } from '../../components/button.js';
import styles from './imports.module.css';

interface RowTickProps {
  id: string;
  /** Only a row that can be chosen has a box. */
  canBeTicked: boolean;
  isTicked: boolean;
  onTick: (isTicked: boolean) => void;
}

/** The box that selects a row. */
export function RowTick({ id, canBeTicked, isTicked, onTick }: RowTickProps) {
  return (
    <span className={styles.tick}>
      {canBeTicked && (
        <input
          type="checkbox"
          id={id}
          data-row=""
          checked={isTicked}
          onChange={(event) => onTick(event.target.checked)}
        />
      )}
    </span>
  );
}

interface RowToggleProps {
  /** What it shows: `Preview`. */
  label: string;
  /** Whose row it is. */
  of: string;
  isOpen: boolean;
  /** Id of the details, which exist while they are open. */
  detailsId: string;
  onToggle: (isOpen: boolean) => void;
}

/** The button that shows and hides the details of a row. */
export function RowToggle({ label, of, isOpen, detailsId, onToggle }: RowToggleProps) {
  return (
    <Button
      look="quiet"
      isSmall
      aria-expanded={isOpen}
      aria-controls={isOpen ? detailsId : undefined}
      onClick={() => onToggle(!isOpen)}
    >
      {isOpen ? 'Less' : label}
      <span className="visually-hidden"> of {of}</span>
    </Button>
  );
}
