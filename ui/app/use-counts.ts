import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Conversation } from '../../daemon/contract/conversations.js';
import { recentRequestsQuery } from '../features/asks/asks-queries.js';
import { budgetsQuery } from '../features/budgets/budgets-query.js';
import { savedClustersQuery, unreadIn } from '../features/clusters/clusters-list.js';
import { permissionsQuery, recentConversationsQuery } from '../features/conversations/conversations-queries.js';
import { approvalsQuery } from '../features/payments/approvals-query.js';
import { scheduleNeedsQuery } from '../features/schedules/schedule-needs-query.js';
import { teamQuery } from '../features/team/team-queries.js';
import { useNow } from '../lib/use-now.js';
import { isLive, type Need, needsYou } from './needs-you.js';
import type { RailCounts } from './rail.js';

/** Returns what needs the operator and what is running: one count for rail, top bar, home page and titles. */
export function useCounts(): { needs: Need[]; live: number; talks: Conversation[]; rail: RailCounts } {
  const { data: team } = useQuery(teamQuery());
  const { data: requests } = useQuery(recentRequestsQuery());
  const { data: conversations } = useQuery(recentConversationsQuery());
  const { data: permissions } = useQuery(permissionsQuery());
  const { data: approvals } = useQuery(approvalsQuery());
  const { data: budgets } = useQuery(budgetsQuery());
  const { data: schedules } = useQuery(scheduleNeedsQuery());
  const { data: clusters } = useQuery(savedClustersQuery());
  const now = useNow(60_000);
  return useMemo(() => {
    const asks = (requests ?? []).filter(isLive);
    // A conversation that runs an external ask is counted as the ask.
    const talks = (conversations ?? []).filter(
      ({ running, conv }) => running !== null && !asks.some((ask) => ask.conv === conv),
    );
    const needs = needsYou(
      { members: team?.members, requests, permissions, approvals, schedules, budgets: budgets?.budgets },
      now,
    );
    const rail = {
      '/': needs.length,
      '/talk': talks.length,
      '/requests': asks.length,
      '/schedules': schedules?.length ?? 0,
      '/rooms': unreadIn(clusters),
      '/ledger': needs.filter(({ kind }) => kind === 'payment').length,
    };
    return { needs, live: asks.length, talks, rail };
  }, [team, requests, conversations, permissions, approvals, schedules, budgets, clusters, now]);
}
