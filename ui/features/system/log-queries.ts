import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { LogLines, Versions } from '../../../daemon/contract/system.js';
import { call, query } from '../../lib/api.js';
import type { LogSearch } from './system-search.js';

const LINES = 200;

const HOUR_MS = 3_600_000;
const SPANS_MS = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 168 * HOUR_MS } as const;

/** The newest lines of the daemon's log that match. */
export const logQuery = ({ log: level, area, q, since }: LogSearch) =>
  queryOptions({
    queryKey: ['logs', { level, area, q, since }],
    queryFn: ({ signal }) => {
      const from = since && new Date(Date.now() - SPANS_MS[since]).toISOString();
      return call<LogLines>(`/logs${query({ level, area, q, since: from, limit: LINES })}`, { signal });
    },
    placeholderData: keepPreviousData,
  });

export const versionsQuery = () =>
  queryOptions({
    queryKey: ['versions'],
    queryFn: ({ signal }) => call<Versions>('/versions', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
