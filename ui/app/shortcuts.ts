import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { ShortcutActions } from './comforts/shortcut-keys.js';

/**
 * Installs the keyboard shortcuts of the dashboard. Single keys are ignored while the user types, while a dialog is
 * open, with a modifier, with text selected, or when the preferences turn them off. ⌘K and Ctrl-K always work.
 */
export function useShortcuts({ hasSingleKeys, openPalette, openSheet }: Omit<ShortcutActions, 'openPlace'>): void {
  const navigate = useNavigate();
  useEffect(() => {
    let isGone = false;
    // Keys that are pressed before the code is loaded are handled then.
    const early: KeyboardEvent[] = [];
    const keep = (event: KeyboardEvent) => void early.push(event);
    let stop = () => document.removeEventListener('keydown', keep);
    document.addEventListener('keydown', keep);
    void import('./comforts/comforts.js').then(({ listenForShortcuts }) => {
      const openPlace: ShortcutActions['openPlace'] = ({ to }) => void navigate({ to });
      if (isGone) return;
      stop();
      stop = listenForShortcuts({ hasSingleKeys, openPlace, openPalette, openSheet }, early);
    });
    return () => {
      isGone = true;
      stop();
    };
  }, [hasSingleKeys, navigate, openPalette, openSheet]);
}
