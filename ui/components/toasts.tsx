import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { toDisplayText } from '../lib/format/display-text.js';
import { Button } from './button.js';
import { Icon } from './text/icon.js';
import styles from './toasts.module.css';

export interface ToastText {
  text: string;
  tone?: 'plain' | 'failed';
  action?: { label: string; run: () => void };
}

interface Toast extends ToastText {
  key: number;
}

const SHOWN_MS = 6_000;
/** How long a toast with an undo action is shown, in milliseconds. */
const UNDO_MS = 10_000;

const ToastContext = createContext<(toast: ToastText) => void>(() => undefined);

/** Returns a function that shows one sentence at the edge of the screen, with at most one action. */
export const useToast = () => useContext(ToastContext);

export function ToastRegion({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<Toast[]>([]);
  const next = useRef(0);
  const say = useCallback((toast: ToastText) => {
    next.current += 1;
    const key = next.current;
    setToasts((shown) => [...shown.slice(-2), { ...toast, key }]);
  }, []);
  const drop = useMemo(() => (key: number) => setToasts((shown) => shown.filter((toast) => toast.key !== key)), []);
  return (
    <ToastContext value={say}>
      {children}
      <div className={styles.region} role="status">
        {toasts.map((toast) => (
          <ToastLine key={toast.key} toast={toast} onDone={() => drop(toast.key)} />
        ))}
      </div>
    </ToastContext>
  );
}

function ToastLine({ toast, onDone }: { toast: Toast; onDone: () => void }) {
  const [isHeld, setIsHeld] = useState(false);
  const done = useRef(onDone);
  done.current = onDone;
  const shownMs = toast.action ? UNDO_MS : SHOWN_MS;
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(() => done.current(), shownMs);
    return () => clearTimeout(timer);
  }, [isHeld, shownMs]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hovering or focusing only keeps the toast open longer.
    <div
      className={toast.tone === 'failed' ? `${styles.toast} ${styles.failed}` : styles.toast}
      onMouseEnter={() => setIsHeld(true)}
      onMouseLeave={() => setIsHeld(false)}
      onFocus={() => setIsHeld(true)}
      onBlur={() => setIsHeld(false)}
    >
      <p>{toDisplayText(toast.text)}</p>
      {toast.action && (
        <Button
          isSmall
          aria-keyshortcuts="u"
          onClick={() => {
            toast.action?.run();
            onDone();
          }}
        >
          {toast.action.label}
        </Button>
      )}
      <Button look="quiet" isSmall aria-label="Dismiss" onClick={onDone}>
        <Icon name="close" />
      </Button>
    </div>
  );
}
