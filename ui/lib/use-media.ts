import { useCallback, useSyncExternalStore } from 'react';

/** Returns whether the media query matches, also after it has changed. */
export function useMedia(query: string): boolean {
  const watch = useCallback(
    (notify: () => void) => {
      const media = window.matchMedia(query);
      media.addEventListener('change', notify);
      return () => media.removeEventListener('change', notify);
    },
    [query],
  );
  return useSyncExternalStore(watch, () => window.matchMedia(query).matches);
}
