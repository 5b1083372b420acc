import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { ShortcutActs } from './comforts/shortcut-keys.js';

/**
 * Installs the keyboard shortcuts of the dashboard. Single keys are ignored while the user types, while a dialog is
 * open, with a modifier, with text selected, or when the preferences turn them off. ⌘K and Ctrl-K always work.
 */
export function useShortcuts({ hasSingleKeys, openPalette, openSheet }: Omit<ShortcutActs, 'openPlace'>): void {
  const navigate = useNavigate();
  useEffect(() => {
    let isGone = false;
    let stop = () => {};
    void import('./comforts/comforts.js').then(({ listenForShortcuts }) => {
      const openPlace: ShortcutActs['openPlace'] = ({ to }) => void navigate({ to });
      if (!isGone) stop = listenForShortcuts({ hasSingleKeys, openPlace, openPalette, openSheet });
    });
    return () => {
      isGone = true;
      stop();
    };
  }, [hasSingleKeys, navigate, openPalette, openSheet]);
}
