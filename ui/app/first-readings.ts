import type { QueryClient } from '@tanstack/react-query';
import { recentRequestsQuery } from '../features/asks/asks-queries.js';
import { budgetsQuery } from '../features/budgets/budgets-query.js';
import { savedClustersQuery } from '../features/clusters/clusters-list.js';
import { permissionsQuery, recentConversationsQuery } from '../features/conversations/conversations-queries.js';
import { approvalsQuery } from '../features/payments/approvals-query.js';
import { scheduleNeedsQuery } from '../features/schedules/schedule-needs-query.js';
import { healthQuery, preferencesQuery } from '../features/system/system-queries.js';
import { teamQuery } from '../features/team/team-queries.js';
import { DeskBody } from './pages/desk-page.js';

const isDesk = () => /^\/app\/?$/.test(window.location.pathname);

/**
 * Prefetches what the frame of every page reads, before the first render, and on the home page its code. The responses
 * arrive while the script renders.
 */
export function askFirst(client: QueryClient): void {
  if (isDesk()) DeskBody.begin();
  void client.prefetchQuery(preferencesQuery());
  void client.prefetchQuery(healthQuery());
  void client.prefetchQuery(teamQuery());
  void client.prefetchQuery(recentRequestsQuery());
  void client.prefetchQuery(recentConversationsQuery());
  void client.prefetchQuery(permissionsQuery());
  void client.prefetchQuery(approvalsQuery());
  void client.prefetchQuery(budgetsQuery());
  void client.prefetchQuery(scheduleNeedsQuery());
  void client.prefetchQuery(savedClustersQuery());
}
