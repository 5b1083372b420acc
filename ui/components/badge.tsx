import type { ReactNode } from 'react';
import styles from './badge.module.css';
import tones from './tones.module.css';

export function Badge({ tone, children }: { tone?: 'outside' | 'failed' | 'needs' | 'well'; children: ReactNode }) {
  return <span className={tone ? `${styles.badge} ${tones[tone]}` : styles.badge}>{children}</span>;
}

/** Marks a member that other programs may ask: plum with an open notch, used for nothing else. */
export function OpenBadge({ children = 'exposed' }: { children?: ReactNode }) {
  return (
    <Badge tone="outside">
      <svg
        width="10"
        height="10"
        viewBox="0 0 10 10"
        aria-hidden="true"
        focusable="false"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
      >
        <path d="M1 1h8L6 5l3 4H1z" />
      </svg>
      {children}
    </Badge>
  );
}
