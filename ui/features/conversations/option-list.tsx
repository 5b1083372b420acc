import { type ReactNode, useEffect } from 'react';
import offered from '../../components/options.module.css';
import styles from './option-list.module.css';

export interface OptionListProps {
  id: string;
  label: string;
  options: readonly { key: string; shown: ReactNode }[];
  chosen: number;
  /** How many there are and what the keys do, for who does not see them. */
  status: string;
  /** A click takes an option. */
  take: (at: number) => void;
  point: (at: number) => void;
}

/** The element of the option that is chosen; undefined while nothing is listed. */
export const optionId = ({ id, options, chosen }: OptionListProps): string | undefined =>
  options.length > 0 ? `${id}-${chosen}` : undefined;

/** What fits the text above which it stands. The focus stays in the text: its keys choose. */
export function OptionList(props: OptionListProps) {
  const { id, label, options, chosen, status, take, point } = props;
  const at = optionId(props);
  useEffect(() => {
    if (at !== undefined) document.getElementById(at)?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  return (
    <div className={styles.place}>
      <div
        id={id}
        role="listbox"
        aria-label={label}
        className={`${offered.list} ${styles.above}`}
        hidden={options.length === 0}
      >
        {options.map(({ key, shown }, at) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: keys are the text's.
          <div
            key={key}
            role="option"
            id={`${id}-${at}`}
            aria-selected={at === chosen}
            tabIndex={-1}
            className={`${offered.option} ${styles.code}`}
            // The text keeps the focus: leaving it would take the list away before the click.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => take(at)}
            onMouseMove={() => point(at)}
          >
            {shown}
          </div>
        ))}
      </div>
      <span role="status" className="visually-hidden">
        {options.length > 0 ? status : ''}
      </span>
    </div>
  );
}
