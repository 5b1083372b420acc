import { toDisplayText } from '../../lib/format/display-text.js';
import styles from './payments.module.css';

/** The address of a wallet. Where it does not fit on one line it breaks into two halves. */
export function Address({ address }: { address: string }) {
  const shown = toDisplayText(address);
  const half = Math.ceil(shown.length / 2);
  return (
    <span className={`${styles.address} mono small`}>
      {shown.slice(0, half)}
      <wbr />
      {shown.slice(half)}
    </span>
  );
}
