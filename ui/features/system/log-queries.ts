import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { LogLines, Versions } from '../../../daemon/contract/system.js';
import { call, query } from '../../lib/api.js';
import type { LogFrom } from './system-search.js';

const LINES = 100;

/** The end of the daemon's log, from `level` on. */
export const logQuery = (level: LogFrom | undefined) =>
  queryOptions({
    queryKey: ['logs', level ?? 'all'],
    queryFn: ({ signal }) => call<LogLines>(`/logs${query({ level, limit: LINES })}`, { signal }),
    placeholderData: keepPreviousData,
  });

export const versionsQuery = () =>
  queryOptions({
    queryKey: ['versions'],
    queryFn: ({ signal }) => call<Versions>('/versions', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
