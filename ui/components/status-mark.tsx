import type { AskStatus } from '../../daemon/contract/asks.js';
import styles from './status-mark.module.css';

export type StatusWord = 'queued' | 'working' | 'needs you' | 'answered' | 'failed' | 'stopped';

/** Returns the displayed word for a request's status in the API. */
export function statusWord(status: AskStatus, errorCode?: string): StatusWord {
  switch (status) {
    case 'queued':
      return 'queued';
    case 'running':
      return 'working';
    case 'needs_input':
      return 'needs you';
    case 'done':
      return 'answered';
    case 'error':
      return errorCode === 'cancelled' ? 'stopped' : 'failed';
  }
}

const looks: Record<StatusWord, { className: string | undefined; shape: React.ReactNode }> = {
  queued: { className: styles.queued, shape: <circle cx="8" cy="8" r="5.5" /> },
  working: {
    className: styles.working,
    shape: (
      <>
        <path className={`${styles.solid} ${styles.track}`} d="M0 6h22v4H0z" />
        <path className={`${styles.solid} ${styles.bar}`} d="M0 4h8v8H0z" />
      </>
    ),
  },
  'needs you': { className: styles.needs, shape: <path className={styles.solid} d="M8 .5 15.500 8 8 15.500.5 8z" /> },
  answered: { className: styles.answered, shape: <path d="m2 8.500 4 4 8-9.500" /> },
  failed: { className: styles.failed, shape: <path d="m3 3 10 10M13 3 3 13" /> },
  stopped: { className: styles.stopped, shape: <path className={styles.solid} d="M2.500 2.500h11v11h-11z" /> },
};

/** Shows a status as shape and word: no meaning depends on colour alone. */
export function StatusMark({ word, hidesWord = false }: { word: StatusWord; hidesWord?: boolean }) {
  const { className, shape } = looks[word];
  return (
    <span className={`${styles.mark} ${className}`}>
      <svg
        className={styles.shape}
        viewBox={word === 'working' ? '0 0 22 16' : '0 0 16 16'}
        aria-hidden="true"
        focusable="false"
      >
        {shape}
      </svg>
      <span className={hidesWord ? 'visually-hidden' : undefined}>{word}</span>
    </span>
  );
}
