import { createContext, useContext } from 'react';

/**
 * State of the tab that survives page changes, above all open connections. It is lost when the tab is closed or
 * reloaded.
 */
export const TabCacheContext = createContext<Map<string, unknown> | null>(null);

export function useTabCache(): Map<string, unknown> {
  const tabCache = useContext(TabCacheContext);
  if (!tabCache) throw new Error('KeptContext is missing');
  return tabCache;
}
