import { useEffect } from 'react';

/** Closes an overlay on Esc, so that what it covers stays reachable. */
export function useEscape(isOver: boolean, close: () => void): void {
  useEffect(() => {
    if (!isOver) return;
    const pressed = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented && !document.querySelector('dialog[open]')) close();
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, [isOver, close]);
}
