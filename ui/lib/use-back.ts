import { useLayoutEffect } from 'react';

/** Closes an overlay when the user navigates back or forward: it belongs to the page that was left. */
export function useBack(close: () => void): void {
  // A layout effect listens before the overlay is seen. Other effects may run later than the next navigation.
  useLayoutEffect(() => {
    window.addEventListener('popstate', close);
    return () => window.removeEventListener('popstate', close);
  }, [close]);
}
