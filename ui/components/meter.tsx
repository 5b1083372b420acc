import styles from './meter.module.css';

/** A share between 0 and 1 as a bar. Decorative: the number is always beside it. */
export function Meter({ value }: { value: number }) {
  return (
    <svg className={styles.meter} viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true" focusable="false">
      <path className={styles.track} d="M0 5.500h100" />
      <path className={styles.bar} d={`M0 3h${(Math.min(1, Math.max(0, value)) * 100).toFixed(2)}`} />
    </svg>
  );
}
