import {
  createContext,
  type Dispatch,
  type ReactNode,
  type SetStateAction,
  useCallback,
  useContext,
  useEffect,
  useState,
} from 'react';
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
  key: string;
}

const SHOWN_MS = 6_000;
/** How long a toast with an undo action is shown, in milliseconds. */
const UNDO_MS = 10_000;

const ToastContext = createContext<(toast: ToastText) => void>(() => undefined);

/** Returns a function that shows one sentence at the edge of the screen, with at most one action. */
export const useToast = () => useContext(ToastContext);

export function ToastRegion({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<Toast[]>([]);
  const say = useCallback(
    (toast: ToastText) => setToasts((shown) => [...shown.slice(-2), { ...toast, key: crypto.randomUUID() }]),
    [],
  );
  return (
    <ToastContext value={say}>
      {children}
      <div className={styles.region} role="status">
        {toasts.map((toast) => (
          <ToastLine key={toast.key} toast={toast} setToasts={setToasts} />
        ))}
      </div>
    </ToastContext>
  );
}

function ToastLine({ toast, setToasts }: { toast: Toast; setToasts: Dispatch<SetStateAction<Toast[]>> }) {
  const [isHeld, setIsHeld] = useState(false);
  const drop = useCallback(() => setToasts((shown) => shown.filter((one) => one !== toast)), [toast, setToasts]);
  useEffect(() => {
    if (isHeld) return;
    // It stays below a dialog and in a hidden tab, where nobody can read it.
    const timer = setInterval(
      () => {
        if (!document.hidden && !document.querySelector('dialog:modal')) drop();
      },
      toast.action ? UNDO_MS : SHOWN_MS,
    );
    return () => clearInterval(timer);
  }, [isHeld, toast, drop]);
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
            drop();
          }}
        >
          {toast.action.label}
        </Button>
      )}
      <Button look="quiet" isSmall aria-label="Dismiss" onClick={drop}>
        <Icon name="close" />
      </Button>
    </div>
  );
}
