import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type {
  CheckCommand,
  CheckCommands,
  Roadmap,
  RunRoadmap,
  TaskPatch,
} from '../../../daemon/contract/work/roadmap.js';
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

/** A mutation whose response replaces what is cached under `key`. */
function useReplacing<V, T>(key: readonly string[], mutationFn: (values: V) => Promise<T>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: (answer) => client.setQueryData(key, answer),
    onError: () => client.invalidateQueries({ queryKey: key }),
  });
}

export const useSetCheck = () =>
  useReplacing(checksKey, ({ name, command }: CheckCommand) =>
    call<CheckCommands>(checkPath(name), { method: 'PUT', body: { command } }),
  );

export const useRemoveCheck = () =>
  useReplacing(checksKey, (name: string) => call<CheckCommands>(checkPath(name), { method: 'DELETE' }));

export const usePatchTask = () =>
  useReplacing(roadmapKey, ({ id, patch }: { id: string; patch: TaskPatch }) =>
    call<Roadmap>(`/roadmap/${encodeURIComponent(id)}`, { method: 'PATCH', body: patch }),
  );

export const useRunRoadmap = () =>
  useReplacing(roadmapKey, (body: RunRoadmap) => call<Roadmap>('/roadmap/run', { method: 'POST', body }));

/** Starts no more tasks; the running ones continue. */
export const useStopRoadmap = () => useReplacing(roadmapKey, () => call<Roadmap>('/roadmap/stop', { method: 'POST' }));
