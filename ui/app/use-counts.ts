import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Conversation } from '../../daemon/contract/conversations.js';
import { recentRequestsQuery } from '../features/asks/asks-queries.js';
import { permissionsQuery, recentConversationsQuery } from '../features/conversations/conversations-queries.js';
import { approvalsQuery } from '../features/payments/approvals-query.js';
import { teamQuery } from '../features/team/team-queries.js';
import { useNow } from '../lib/use-now.js';
import { isLive, type Need, needsYou } from './needs-you.js';

/** Returns what needs the operator and what is running: one count for rail, top bar, home page and titles. */
export function useCounts(): { needs: Need[]; live: number; talks: Conversation[] } {
  const { data: team } = useQuery(teamQuery());
  const { data: requests } = useQuery(recentRequestsQuery());
  const { data: conversations } = useQuery(recentConversationsQuery());
  const { data: permissions } = useQuery(permissionsQuery());
  const { data: approvals } = useQuery(approvalsQuery());
  const now = useNow(60_000);
  return useMemo(() => {
    const asks = (requests ?? []).filter(isLive);
    // A conversation that runs an external ask is counted as the ask.
    const talks = (conversations ?? []).filter(
      ({ running, conv }) => running !== null && !asks.some((ask) => ask.conv === conv),
    );
    return {
      needs: needsYou(team?.members ?? [], requests ?? [], permissions ?? [], approvals ?? [], now),
      live: asks.length,
      talks,
    };
  }, [team, requests, conversations, permissions, approvals, now]);
}
