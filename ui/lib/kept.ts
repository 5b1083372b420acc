import { createContext, useContext } from 'react';

/**
 * State of the tab that survives page changes, above all open connections. It is lost when the tab is closed or
 * reloaded.
 */
export const KeptContext = createContext<Map<string, unknown> | null>(null);

export function useKept(): Map<string, unknown> {
  const kept = useContext(KeptContext);
  if (!kept) throw new Error('KeptContext is missing');
  return kept;
}
