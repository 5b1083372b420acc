import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useNow } from '../components/time.js';
import { recentRequestsQuery } from '../features/asks/asks-queries.js';
import { teamQuery } from '../features/team/team-queries.js';
import { isLive, type Need, needsYou } from './needs-you.js';

/** What waits for the operator and how much is under way: one count for rail, top bar, Desk and titles. */
export function useCounts(): { needs: Need[]; live: number } {
  const { data: team } = useQuery(teamQuery());
  const { data: requests } = useQuery(recentRequestsQuery());
  const now = useNow(60_000);
  return useMemo(
    () => ({ needs: needsYou(team?.members ?? [], requests ?? [], now), live: (requests ?? []).filter(isLive).length }),
    [team, requests, now],
  );
}
