import { queryOptions } from '@tanstack/react-query';
import type { MemberHistory, MemberRevision, RosterHistory } from '../../../daemon/contract/team.js';
import { call } from '../../lib/api.js';
import { memberPath, teamKeys } from './team-queries.js';

/** Commits publish no event, so the state is polled while it is shown. */
const LOOK_EVERY_MS = 15_000;

/** The state of every member file against git HEAD. Invalidated with the roster. */
export const rosterHistoryQuery = () =>
  queryOptions({
    queryKey: [...teamKeys.list, 'history'],
    queryFn: ({ signal }) => call<RosterHistory>('/history', { signal }),
    refetchInterval: LOOK_EVERY_MS,
  });

export const memberHistoryQuery = (id: string) =>
  queryOptions({
    queryKey: [...teamKeys.member(id), 'history'],
    queryFn: ({ signal }) => call<MemberHistory>(`${memberPath(id)}/history`, { signal }),
    refetchInterval: LOOK_EVERY_MS,
  });

/** The content of a commit never changes. */
export const memberRevisionQuery = (id: string, commit: string) =>
  queryOptions({
    queryKey: ['team', 'revision', id, commit],
    queryFn: ({ signal }) => call<MemberRevision>(`${memberPath(id)}/history/${commit}`, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
