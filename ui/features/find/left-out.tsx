import { Link } from '@tanstack/react-router';
import { buttonClass } from '../../components/button.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import styles from './find.module.css';
import type { LeftOut as Entry } from './left-out-format.js';

/** How many agents each filter excluded, each with a link that removes the filter. */
export function LeftOut({ entries }: { entries: readonly Entry[] }) {
  if (entries.length === 0) return null;
  return (
    <ul className={styles.leftOut} aria-label="Left out by filters">
      {entries.map(({ key, said: message, loosen, without }) => (
        <li key={key}>
          <span>{toDisplayText(message)}</span>
          <Link to="/find" search={without} resetScroll={false} className={buttonClass('quiet', true)}>
            {loosen}
          </Link>
        </li>
      ))}
    </ul>
  );
}
