import { useEffect } from 'react';
import { isEscape } from './is-escape.js';

/** Closes an overlay on Esc, so that what it covers stays reachable. */
export function useEscape(isOver: boolean, close: () => void): void {
  useEffect(() => {
    if (!isOver) return;
    const pressed = (event: KeyboardEvent) => {
      if (isEscape(event) && !event.defaultPrevented && !document.querySelector('dialog[open]')) close();
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, [isOver, close]);
}
