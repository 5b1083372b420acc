import type { ReactNode } from 'react';
import { toDisplayText } from '../../lib/format/display-text.js';
import styles from './code-block.module.css';
import { CommandText } from './command-text.js';
import { CopyButton } from './copy-button.js';

export function CodeBlock({
  label,
  text,
  copyText,
  actions,
  wraps = false,
}: {
  label: string;
  text: string;
  /** Text for the copy button, when it differs from what is shown. */
  copyText?: () => string;
  actions?: ReactNode;
  wraps?: boolean;
}) {
  return (
    <figure className={styles.block}>
      <figcaption className={styles.head}>
        <span>{toDisplayText(label)}</span>
        <span className="cluster">
          {actions}
          <CopyButton look="quiet" text={copyText ?? text} />
        </span>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard. */}
      <pre className={wraps ? `${styles.code} ${styles.wrapped}` : styles.code} tabIndex={0}>
        <code>
          <CommandText text={toDisplayText(text)} />
        </code>
      </pre>
    </figure>
  );
}
