import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { usePatchPreferences } from '../system/system-mutations.js';
import { preferencesQuery } from '../system/system-queries.js';

/**
 * Unfolds the group *Network* of the rail while `isUsed`, unless it was folded: for an agent search and the shared
 * network, which the rail does not read.
 */
export function useNetworkUsed(isUsed: boolean): void {
  const { mutate } = usePatchPreferences();
  const isAuto = useQuery({ ...preferencesQuery(), select: ({ rail_network }) => rail_network === 'auto' }).data;
  useEffect(() => {
    if (isUsed && isAuto) mutate({ rail_network: 'unfolded' });
  }, [isUsed, isAuto, mutate]);
}
