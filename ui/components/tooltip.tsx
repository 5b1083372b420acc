import { type ReactNode, useId, useState } from 'react';
import styles from './tooltip.module.css';

/** An explanation on hover and focus. Esc closes it, and the pointer may move onto it. */
export function Tooltip({ text, children }: { text: string; children: ReactNode }) {
  const id = useId();
  const [isShown, setIsShown] = useState(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only explains.
    <span
      className={isShown ? `${styles.anchor} ${styles.shown}` : styles.anchor}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to read the exact value.
      tabIndex={0}
      aria-describedby={id}
      onMouseEnter={() => setIsShown(true)}
      onMouseLeave={() => setIsShown(false)}
      onFocus={() => setIsShown(true)}
      onBlur={() => setIsShown(false)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isShown) return;
        event.stopPropagation();
        setIsShown(false);
      }}
    >
      {children}
      <span role="tooltip" id={id} className={styles.tip}>
        {text}
      </span>
    </span>
  );
}
