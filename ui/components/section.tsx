import { type ReactNode, useId } from 'react';
import { toDisplayText } from '../lib/format/display-text.js';
import styles from './panels.module.css';

const sanitizeChildren = (words: ReactNode): ReactNode => (typeof words === 'string' ? toDisplayText(words) : words);

/** A section of a page: heading, count, actions and content. */
export function Section({
  title,
  count,
  actions,
  anchor,
  children,
}: {
  title: string;
  count?: number | string;
  actions?: ReactNode;
  /** Id for links to the section. It makes the section focusable. */
  anchor?: string;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section
      className={styles.section}
      aria-labelledby={id}
      id={anchor}
      tabIndex={anchor === undefined ? undefined : -1}
    >
      <div className={styles.sectionHead}>
        <h2 id={id}>
          {title}
          {count !== undefined && <span className={styles.count}>{count}</span>}
        </h2>
        {actions}
      </div>
      {children}
    </section>
  );
}

/** The head of a page with its only h1. */
export function PageHead({ title, lede, actions }: { title: ReactNode; lede?: ReactNode; actions?: ReactNode }) {
  return (
    <header className={styles.pageHead}>
      <div>
        <h1 tabIndex={-1}>{sanitizeChildren(title)}</h1>
        {lede && <div className={styles.lede}>{sanitizeChildren(lede)}</div>}
      </div>
      {actions && <div className="cluster">{actions}</div>}
    </header>
  );
}
