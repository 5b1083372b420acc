import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { Keys } from './shortcuts.js';

// Nobody presses a key before the page is drawn: what hears it is fetched meanwhile.
const shortcuts = import('./shortcuts.js');

/** The keys of the whole dashboard. */
export function useShortcuts({ hasSingleKeys, openPalette, openSheet }: Omit<Keys, 'goTo'>): void {
  const navigate = useNavigate();
  useEffect(() => {
    const over = new AbortController();
    const goTo = (to: string) => void navigate({ to });
    void shortcuts.then(({ hearKeys }) => hearKeys({ hasSingleKeys, goTo, openPalette, openSheet }, over.signal));
    return () => over.abort();
  }, [hasSingleKeys, navigate, openPalette, openSheet]);
}
