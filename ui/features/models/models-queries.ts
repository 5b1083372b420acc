import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type {
  ClientChoice,
  ClientSetup,
  ClientTest,
  ClientUse,
  OllamaModels,
} from '../../../daemon/contract/clients.js';
import { call, query } from '../../lib/api.js';
import { systemKeys } from '../system/system-queries.js';
import { teamKeys } from '../team/team-queries.js';

const setupKey = [...systemKeys.clients, 'setup'] as const;
const TEST_MS = 500;

export const setupQuery = () =>
  queryOptions({ queryKey: setupKey, queryFn: ({ signal }) => call<ClientSetup>('/clients/setup', { signal }) });

export const ollamaQuery = (port: number | undefined) =>
  queryOptions({
    queryKey: ['ollama', port],
    queryFn: ({ signal }) => call<OllamaModels>(`/clients/ollama${query({ port })}`, { signal }),
  });

const testKey = (test: string) => ['client-test', test] as const;
const testPath = (test: string) => `/clients/tests/${encodeURIComponent(test)}`;

/** Starts, follows and stops the test of one way. */
export function useClientTest() {
  const client = useQueryClient();
  const keep = (test: ClientTest) => client.setQueryData(testKey(test.test), test);
  const start = useMutation({
    mutationFn: (body: ClientChoice) => call<ClientTest>('/clients/tests', { method: 'POST', body }),
    onSuccess: keep,
    // The body holds a key, which no cache keeps longer than the call.
    gcTime: 0,
  });
  const test = start.data?.test;
  const { data } = useQuery({
    queryKey: testKey(test ?? ''),
    queryFn: ({ signal }) => call<ClientTest>(testPath(test ?? ''), { signal }),
    enabled: test !== undefined,
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? TEST_MS : false),
  });
  const stop = useMutation({
    mutationFn: () => call<ClientTest>(testPath(test ?? ''), { method: 'DELETE' }),
    onSuccess: keep,
  });
  return { start, stop, test: test === undefined ? undefined : data };
}

/** A mutation of the choice. Everything that depends on what runs the members is read again. */
function useChanging<V>(mutationFn: (values: V) => Promise<ClientSetup>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess(setup) {
      client.setQueryData(setupKey, setup);
      void client.invalidateQueries({ queryKey: systemKeys.clients });
      void client.invalidateQueries({ queryKey: teamKeys.all });
    },
    gcTime: 0,
  });
}

export const useModel = () =>
  useChanging((body: ClientUse) => call<ClientSetup>('/clients/setup', { method: 'PUT', body }));

export const useForgetModel = () =>
  useChanging((_: undefined) => call<ClientSetup>('/clients/setup', { method: 'DELETE' }));
