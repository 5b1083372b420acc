import { useEffect } from 'react';

/** What lies over the page goes with Esc, so that nothing under it is out of reach. */
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
