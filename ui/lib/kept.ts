import { createContext, useContext } from 'react';

/** What a tab keeps while its pages come and go: lines that stay open above all. Gone when the tab is closed or read anew. */
export const KeptContext = createContext<Map<string, unknown> | null>(null);

export function useKept(): Map<string, unknown> {
  const kept = useContext(KeptContext);
  if (!kept) throw new Error('KeptContext is missing');
  return kept;
}
