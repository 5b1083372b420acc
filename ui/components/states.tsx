import type { ReactNode } from 'react';
import { ApiError } from '../lib/api.js';
import { Button } from './button.js';
import { CopyButton } from './copy-button.js';
import styles from './panels.module.css';

/** What belongs here, one real action, and the same in the command line. */
export function EmptyState({ children, action, command }: { children: ReactNode; action?: ReactNode; command?: string }) {
  return (
    <div className={styles.empty}>
      <p>{children}</p>
      {action}
      {command && (
        <p className="small">
          In a terminal: <code>{command}</code>
        </p>
      )}
    </div>
  );
}

/** What failed, in words, with one next step and the id under which the daemon logged it. */
export function ErrorPanel({ what, error, onRetry }: { what: string; error: unknown; onRetry?: () => void }) {
  const isRefusal = error instanceof ApiError;
  return (
    <div className={styles.error} role="alert">
      <p>
        <strong>{what}</strong>
      </p>
      <p>{isRefusal ? error.message : 'This panel failed to draw. The rest of the page still works.'}</p>
      <div className="cluster">
        {onRetry && <Button onClick={onRetry}>Try again</Button>}
        {isRefusal && error.id && <CopyButton text={error.id} label="Copy error id" />}
        {isRefusal && <code className="small quiet">{error.code}</code>}
        {!isRefusal && error instanceof Error && <CopyButton text={error.stack ?? error.message} label="Copy details" />}
      </div>
    </div>
  );
}

export type NoticeTone = 'info' | 'needs' | 'outside' | 'failed' | 'well';

export function Notice({ tone, children, isAlert = false }: { tone: NoticeTone; children: ReactNode; isAlert?: boolean }) {
  return (
    <div className={`${styles.notice} ${styles[tone]}`} role={isAlert ? 'alert' : undefined}>
      {children}
    </div>
  );
}

/** Bones of the true row height, shown only when waiting lasts. */
export function Skeleton({ rows = 4 }: { rows?: number }) {
  return (
    <div className={styles.skeleton} aria-hidden="true">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: bones have no identity.
        <div key={row} className={styles.bone} />
      ))}
    </div>
  );
}

export function KeyValue({ rows }: { rows: readonly (readonly [string, ReactNode] | false | null | undefined)[] }) {
  return (
    <dl className={styles.keyValue}>
      {rows.map(
        (row) =>
          row && (
            <div key={row[0]}>
              <dt>{row[0]}</dt>
              <dd>{row[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
