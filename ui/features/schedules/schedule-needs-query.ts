import { queryOptions } from '@tanstack/react-query';
import type { ScheduleList } from '../../../daemon/contract/work/schedules.js';
import { call } from '../../lib/api.js';

export const schedulesKeys = { all: ['schedules'] as const, list: ['schedules', 'list'] as const };

/** Schedules with a run that the operator should know of. In a module of its own, because every page counts them. */
export const scheduleNeedsQuery = () =>
  queryOptions({
    queryKey: ['schedules', 'needs'],
    queryFn: async ({ signal }) => (await call<ScheduleList>('/schedules?needs_you=true', { signal })).schedules,
  });
