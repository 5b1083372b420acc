import { useEffect } from 'react';

/** Closes an overlay when the user navigates back or forward: it belongs to the page that was left. */
export function useBack(close: () => void): void {
  useEffect(() => {
    window.addEventListener('popstate', close);
    return () => window.removeEventListener('popstate', close);
  }, [close]);
}
