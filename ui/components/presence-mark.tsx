import styles from './presence-mark.module.css';

/** Whether an agent is online, by shape and word: a filled circle is online, an empty one offline. */
export function PresenceMark({ isOnline, hidesWord = false }: { isOnline: boolean; hidesWord?: boolean }) {
  const word = isOnline ? 'online' : 'offline';
  return (
    <span className={isOnline ? `${styles.mark} ${styles.online}` : styles.mark} title={hidesWord ? word : undefined}>
      <svg className={styles.shape} viewBox="0 0 12 12" aria-hidden="true" focusable="false">
        <circle cx="6" cy="6" r="4.500" />
      </svg>
      <span className={hidesWord ? 'visually-hidden' : undefined}>{word}</span>
    </span>
  );
}
