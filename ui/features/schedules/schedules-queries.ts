import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type {
  NewSchedule,
  Schedule,
  ScheduleDeleted,
  ScheduleList,
  SchedulePatch,
  SchedulePreview,
  ScheduleRun,
} from '../../../daemon/contract/work/schedules.js';
import { call, query } from '../../lib/api.js';
import { type Deletion, useDeletion, useDeletions } from '../../lib/deletions.js';
import { schedulesKeys } from './schedule-needs-query.js';

const schedulePath = (id: string, rest = '') => `/schedules/${encodeURIComponent(id)}${rest}`;

export const schedulesQuery = () =>
  queryOptions({
    queryKey: schedulesKeys.list,
    queryFn: ({ signal }) => call<ScheduleList>('/schedules', { signal }),
  });

/** The next times of what is in the form, or what is wrong with it. */
export const previewQuery = (cron: string, zone: string) =>
  queryOptions({
    queryKey: [...schedulesKeys.all, 'preview', cron, zone],
    queryFn: ({ signal }) => call<SchedulePreview>(`/schedules/preview${query({ cron, zone })}`, { signal }),
    enabled: cron.trim() !== '',
    placeholderData: keepPreviousData,
  });

function useChanging<V, T>(mutationFn: (values: V) => Promise<T>) {
  const client = useQueryClient();
  return useMutation({ mutationFn, onSettled: () => client.invalidateQueries({ queryKey: schedulesKeys.all }) });
}

export const useAddSchedule = () =>
  useChanging((body: NewSchedule) => call<Schedule>('/schedules', { method: 'POST', body }));

export const usePatchSchedule = () =>
  useChanging(({ id, patch }: { id: string; patch: SchedulePatch }) =>
    call<Schedule>(schedulePath(id), { method: 'PATCH', body: patch }),
  );

export const useRunSchedule = () =>
  useChanging((id: string) => call<ScheduleRun>(schedulePath(id, '/run'), { method: 'POST' }));

/** Returns a function that deletes a schedule once the undo period is over. It goes on until then. */
export function useDeleteSchedule(): (schedule: Schedule) => void {
  const client = useQueryClient();
  const remove = useDeletion('schedule', async ({ id }: Schedule) => {
    await call<ScheduleDeleted>(schedulePath(id), { method: 'DELETE' });
    await client.invalidateQueries({ queryKey: schedulesKeys.all });
  });
  return (schedule) => remove(schedule.id, schedule.title, schedule);
}

/** Returns the deletions that can still be undone, keyed by schedule. */
export const useScheduleDeletions = (): ReadonlyMap<string, Deletion> => useDeletions('schedule');
