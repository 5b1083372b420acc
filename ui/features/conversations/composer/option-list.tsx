import { type ReactNode, useEffect } from 'react';
import offered from '../../../components/options.module.css';
import styles from './option-list.module.css';

export interface OptionListProps {
  id: string;
  label: string;
  options: readonly { key: string; shown: ReactNode }[];
  chosen: number;
  /** The number of options and the keys, for screen readers. */
  status: string;
  /** Called when an option is clicked. */
  take: (at: number) => void;
  point: (at: number) => void;
}

/** Returns the id of the chosen option's element; undefined while the list is empty. */
export const optionId = ({ id, options, chosen }: OptionListProps): string | undefined =>
  options.length > 0 ? `${id}-${chosen}` : undefined;

/** The options that match the text below it. The focus stays in the text field, whose keys choose an option. */
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
          // biome-ignore lint/a11y/useKeyWithClickEvents: the text field handles the keys.
          <div
            key={key}
            role="option"
            id={`${id}-${at}`}
            aria-selected={at === chosen}
            tabIndex={-1}
            className={`${offered.option} ${styles.code}`}
            // Keeps the focus in the text field: on blur the list would close before the click.
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
