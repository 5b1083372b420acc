import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { RefusalReason, RefusedList, UsageReport } from '../../../daemon/contract/usage.js';
import { call, query } from '../../lib/api.js';

const DAY_MS = 86_400_000;
const DAYS = { day: 1, week: 7, month: 30, quarter: 90 } as const;
type UsageSpan = keyof typeof DAYS;
const READ_EVERY_MS = 60_000;
const ROWS = 200;

/** Usage of the last day by the hour, or of a longer time by the day. Days begin at the midnight of this browser. */
export const usageQuery = (span: UsageSpan, member: string | undefined) =>
  queryOptions({
    queryKey: ['usage', span, member ?? ''],
    queryFn: ({ signal }) =>
      call<UsageReport>(
        `/usage${query({
          from: new Date(Date.now() - DAYS[span] * DAY_MS).toISOString(),
          bucket: span === 'day' ? 'hour' : 'day',
          utc_offset: -new Date().getTimezoneOffset(),
          member,
        })}`,
        { signal },
      ),
    placeholderData: keepPreviousData,
    refetchInterval: READ_EVERY_MS,
  });

interface RefusedFilters {
  reason?: RefusalReason | undefined;
  member?: string | undefined;
  caller?: string | undefined;
  since?: string | undefined;
}

export const refusedQuery = (filters: RefusedFilters) =>
  queryOptions({
    queryKey: ['refused', filters],
    queryFn: ({ signal }) => call<RefusedList>(`/requests/refused${query({ ...filters, limit: ROWS })}`, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: READ_EVERY_MS,
  });
