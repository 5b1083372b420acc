import type { ReactNode } from 'react';
import styles from './panels.module.css';
import { InTerminal } from './text/in-terminal.js';
import tones from './tones.module.css';

/** An empty state: what belongs here, one action, and the equivalent command line. */
export function EmptyState({
  children,
  action,
  command,
}: {
  children: ReactNode;
  action?: ReactNode;
  command?: string | undefined;
}) {
  return (
    <div className={styles.empty}>
      <p>{children}</p>
      {action}
      {command && <InTerminal command={command} />}
    </div>
  );
}

export type NoticeTone = 'info' | 'needs' | 'outside' | 'failed' | 'well';

export function Notice({
  tone,
  children,
  isAlert = false,
}: {
  tone: NoticeTone;
  children: ReactNode;
  isAlert?: boolean;
}) {
  return (
    <div className={`${styles.notice} ${tones[tone]}`} role={isAlert ? 'alert' : undefined}>
      {children}
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
