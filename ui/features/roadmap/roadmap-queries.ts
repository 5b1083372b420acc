import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { CheckCommand, CheckCommands, Roadmap, RunRoadmap, TaskPatch } from '../../../daemon/contract/roadmap.js';
import { call } from '../../lib/api.js';
import { roadmapKey } from './roadmap-key.js';

/** The file may be edited by any program, so it is polled while the page is open. */
const READ_AGAIN_MS = 3_000;

export const roadmapQuery = () =>
  queryOptions({
    queryKey: roadmapKey,
    queryFn: ({ signal }) => call<Roadmap>('/roadmap', { signal }),
    refetchInterval: READ_AGAIN_MS,
    staleTime: 0,
  });

const checksKey = [...roadmapKey, 'checks'] as const;

export const checkCommandsQuery = () =>
  queryOptions({ queryKey: checksKey, queryFn: ({ signal }) => call<CheckCommands>('/roadmap/checks', { signal }) });

const checkPath = (name: string) => `/roadmap/checks/${encodeURIComponent(name)}`;

/** A mutation of the check commands. Its response replaces the cached ones. */
function useChecksMutation<V>(mutationFn: (values: V) => Promise<CheckCommands>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: (commands) => client.setQueryData(checksKey, commands),
    onError: () => client.invalidateQueries({ queryKey: checksKey }),
  });
}

export const useSetCheck = () =>
  useChecksMutation(({ name, command }: CheckCommand) =>
    call<CheckCommands>(checkPath(name), { method: 'PUT', body: { command } }),
  );

export const useRemoveCheck = () =>
  useChecksMutation((name: string) => call<CheckCommands>(checkPath(name), { method: 'DELETE' }));

/** A mutation of the roadmap. Its response replaces the cached roadmap. */
function useRoadmapMutation<V>(mutationFn: (values: V) => Promise<Roadmap>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: (roadmap) => client.setQueryData(roadmapKey, roadmap),
    onError: () => client.invalidateQueries({ queryKey: roadmapKey }),
  });
}

export const usePatchTask = () =>
  useRoadmapMutation(({ id, patch }: { id: string; patch: TaskPatch }) =>
    call<Roadmap>(`/roadmap/${encodeURIComponent(id)}`, { method: 'PATCH', body: patch }),
  );

export const useRunRoadmap = () =>
  useRoadmapMutation((body: RunRoadmap) => call<Roadmap>('/roadmap/run', { method: 'POST', body }));

/** Starts no more tasks; the running ones continue. */
export const useStopRoadmap = () => useRoadmapMutation(() => call<Roadmap>('/roadmap/stop', { method: 'POST' }));
