import { useEffect } from 'react';

/** What lies over every page goes when one goes back or forward: it belongs to the page one left. */
export function useBack(close: () => void): void {
  useEffect(() => {
    window.addEventListener('popstate', close);
    return () => window.removeEventListener('popstate', close);
  }, [close]);
}
