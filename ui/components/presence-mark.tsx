import styles from './presence-mark.module.css';

interface PresenceMarkProps {
  isOnline: boolean;
  hidesWord?: boolean;
  /** The words for online and offline. */
  words?: readonly [string, string];
}

/** Whether an agent is online, by shape and word: a filled circle is online, an empty one offline. */
export function PresenceMark({ isOnline, hidesWord = false, words = ['online', 'offline'] }: PresenceMarkProps) {
  const word = words[isOnline ? 0 : 1];
  return (
    <span className={isOnline ? `${styles.mark} ${styles.online}` : styles.mark} title={hidesWord ? word : undefined}>
      <svg className={styles.shape} viewBox="0 0 12 12" aria-hidden="true" focusable="false">
        <circle cx="6" cy="6" r="4.500" />
      </svg>
      <span className={hidesWord ? 'visually-hidden' : undefined}>{word}</span>
    </span>
  );
}
