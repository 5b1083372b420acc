import { type RefObject, useEffect } from 'react';
import { isEscape } from './keys/is-escape.js';

const LEAVING = ['keydown', 'pointerdown', 'focusin'] as const;

/**
 * Closes an open menu on Esc, which focuses its button, on a press outside of it and when the focus goes elsewhere.
 * That the focus leaves the menu is no reason: a link or button that is pressed takes none in Safari.
 */
export function useClosing(
  place: RefObject<HTMLElement | null>,
  isOpen: boolean,
  setIsOpen: (isOpen: boolean) => void,
): void {
  useEffect(() => {
    if (!isOpen) return;
    const close = (event: Event) => {
      const isKey = event instanceof KeyboardEvent;
      if (isKey ? !isEscape(event) : place.current?.contains(event.target as Node)) return;
      setIsOpen(false);
      if (!isKey) return;
      event.preventDefault();
      place.current?.querySelector('button')?.focus();
    };
    // Captured, so that Esc closes nothing else.
    for (const type of LEAVING) document.addEventListener(type, close, true);
    return () => {
      for (const type of LEAVING) document.removeEventListener(type, close, true);
    };
  }, [place, isOpen, setIsOpen]);
}
