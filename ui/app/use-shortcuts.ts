import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { Keys } from './shortcuts.js';

// What hears keys is fetched while the page is drawn; those that are pressed before it came are told to it.
const shortcuts = import('./shortcuts.js');

/** The keys of the whole dashboard. */
export function useShortcuts({ hasSingleKeys, openPalette, openSheet }: Omit<Keys, 'goTo'>): void {
  const navigate = useNavigate();
  useEffect(() => {
    let hear: ((event: KeyboardEvent) => void) | undefined;
    const early: KeyboardEvent[] = [];
    const pressed = (event: KeyboardEvent) => {
      if (hear) return hear(event);
      // The browser has a use of its own for it.
      if (event.key === 'k' && (event.ctrlKey || event.metaKey)) event.preventDefault();
      early.push(event);
    };
    void shortcuts.then(({ keyHandler }) => {
      hear = keyHandler({ hasSingleKeys, goTo: (to) => void navigate({ to }), openPalette, openSheet });
      early.forEach(hear);
    });
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, [hasSingleKeys, navigate, openPalette, openSheet]);
}
