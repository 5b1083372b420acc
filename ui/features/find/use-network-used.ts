import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { usePatchPreferences } from '../system/system-mutations.js';
import { preferencesQuery } from '../system/system-queries.js';

/** Unfolds the group *Network* of the rail after an agent search, which leaves no other record, unless it was folded. */
export function useNetworkUsed(hasSearched: boolean): void {
  const { mutate } = usePatchPreferences();
  const isAuto = useQuery({ ...preferencesQuery(), select: ({ rail_network }) => rail_network === 'auto' }).data;
  useEffect(() => {
    if (hasSearched && isAuto) mutate({ rail_network: 'unfolded' });
  }, [hasSearched, isAuto, mutate]);
}
