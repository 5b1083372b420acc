import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Outlet, useRouterState, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { PreferencesPatch } from '../../daemon/contract/system.js';
import { patchPreferences, preferencesQuery } from '../features/system/system-queries.js';
import { fetched } from '../lib/fetched.js';
import { Frame } from './frame.js';
import styles from './layout.module.css';
import { applyLook } from './look.js';
import { useShortcuts } from './shortcuts.js';
import { useCounts } from './use-counts.js';

// Not Suspense: on a page that renders continuously it would never show them.
const CommandPalette = fetched(() => import('./command-palette.js'));
const ShownFile = fetched(() => import('./shown-file.js'));
const Notifier = fetched(() => import('./notifier.js'));
const ShortcutSheet = fetched(() => import('./shortcut-sheet.js'));

/** Renders every page in its frame, with its overlays, and moves the focus when the page changes. */
export function Layout() {
  const { file } = useSearch({ from: '__root__' });
  const { data: preferences } = useQuery(preferencesQuery());
  const client = useQueryClient();
  const { needs, rail } = useCounts();
  const [open, setOpen] = useState<'palette' | 'sheet'>();
  const close = useCallback(() => setOpen(undefined), []);
  const openPalette = useCallback(() => setOpen('palette'), []);
  const openSheet = useCallback(() => setOpen('sheet'), []);
  // A failure is visible: the rail returns to its former state.
  const patch = (changed: PreferencesPatch) => void patchPreferences(client, changed).catch(() => undefined);
  const hasSingleKeys = preferences?.single_key_shortcuts ?? true;
  useShortcuts({ hasSingleKeys, openPalette, openSheet });

  // Removes the frame that was sent with the page.
  useLayoutEffect(() => document.getElementById('first-frame')?.remove(), []);

  useEffect(() => {
    if (preferences) applyLook(preferences);
  }, [preferences]);

  const place = useRouterState({ select: (state) => state.resolvedLocation?.pathname });
  const lastPlace = useRef(place);
  useEffect(() => {
    const hasMoved = lastPlace.current !== undefined && place !== lastPlace.current;
    // A page that has placed the focus itself keeps it.
    const isPlaced = document.activeElement?.closest('main, dialog') != null;
    if (hasMoved && !isPlaced)
      (document.querySelector<HTMLElement>('main h1') ?? document.querySelector<HTMLElement>('main'))?.focus({
        preventScroll: true,
      });
    lastPlace.current = place;
  }, [place]);

  return (
    <>
      <a href="#content" className={`visually-hidden ${styles.skip}`}>
        Skip to the content
      </a>
      <Frame
        counts={rail}
        isCollapsed={preferences?.rail_collapsed ?? false}
        network={preferences?.rail_network}
        onCollapse={(rail_collapsed) => patch({ rail_collapsed })}
        onFold={(rail_network) => patch({ rail_network })}
        onPalette={openPalette}
        onShortcuts={openSheet}
      >
        <Outlet />
        {file !== undefined && <ShownFile />}
      </Frame>
      {preferences?.notifications && <Notifier needs={needs} />}
      {open === 'palette' && <CommandPalette onClose={close} onShortcuts={openSheet} />}
      {open === 'sheet' && <ShortcutSheet hasSingleKeys={hasSingleKeys} onClose={close} />}
    </>
  );
}
