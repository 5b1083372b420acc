import { formatLamports, formatSol } from '../../lib/format/lamports.js';
import styles from './payments.module.css';

/** An amount in SOL, exact, with lamports below it. */
export function Amount({ lamports, isLarge = false }: { lamports: number; isLarge?: boolean }) {
  return (
    <span className={isLarge ? `${styles.amount} ${styles.large}` : styles.amount}>
      <strong>{formatSol(lamports)}</strong>
      <span className={styles.lamports}>{formatLamports(lamports)}</span>
    </span>
  );
}
