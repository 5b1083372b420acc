import type { ButtonHTMLAttributes, Ref } from 'react';
import styles from './button.module.css';

export type ButtonLook = 'secondary' | 'primary' | 'danger' | 'quiet';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: ButtonLook;
  isSmall?: boolean;
  /** In progress: pressing again does nothing, and the wait is announced. */
  isBusy?: boolean;
  /**
   * Why the button is disabled. It stays focusable, so that the reason can be read; on a device without hover, a touch
   * shows it.
   */
  reasonDisabled?: string | undefined;
  ref?: Ref<HTMLButtonElement>;
}

export function buttonClass(look: ButtonLook = 'secondary', isSmall = false): string {
  return [styles.button, look === 'secondary' ? '' : styles[look], isSmall ? styles.small : '']
    .filter(Boolean)
    .join(' ');
}

export function Button({
  look,
  isSmall,
  isBusy = false,
  reasonDisabled,
  className,
  onClick,
  children,
  ...rest
}: ButtonProps) {
  const isOff = isBusy || reasonDisabled !== undefined;
  return (
    <button
      type="button"
      {...rest}
      className={`${buttonClass(look, isSmall)} ${className ?? ''}`}
      aria-disabled={isOff || undefined}
      aria-busy={isBusy || undefined}
      title={reasonDisabled ?? rest.title}
      onClick={(event) => {
        // Shows the reason to a user who presses the button while it is disabled, not to one who pressed it before.
        event.currentTarget.toggleAttribute('data-asked', isOff);
        if (isOff) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {children}
      {reasonDisabled !== undefined && (
        <>
          <span className="visually-hidden">. </span>
          <span className={`visually-hidden ${styles.why}`}>{reasonDisabled}</span>
        </>
      )}
    </button>
  );
}
