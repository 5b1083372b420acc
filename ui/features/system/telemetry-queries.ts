import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Telemetry, TelemetrySettings, TelemetryTest } from '../../../daemon/contract/telemetry.js';
import { call } from '../../lib/api.js';

const key = ['telemetry'] as const;

export const telemetryQuery = () =>
  queryOptions({
    queryKey: key,
    queryFn: ({ signal }) => call<Telemetry>('/telemetry', { signal }),
    refetchInterval: 10_000,
  });

function useChanging<V>(mutationFn: (values: V) => Promise<Telemetry>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: (telemetry) => client.setQueryData(key, telemetry),
    // The body may hold a key, which no cache keeps longer than the call.
    gcTime: 0,
  });
}

export const useTelemetry = () =>
  useChanging((body: TelemetrySettings) => call<Telemetry>('/telemetry', { method: 'PUT', body }));

export const useTelemetryOff = () => useChanging((_: undefined) => call<Telemetry>('/telemetry', { method: 'DELETE' }));

/** Sends one span. What is shown of the collector is read again. */
export function useTelemetryTest() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call<TelemetryTest>('/telemetry/test', { method: 'POST' }),
    onSettled: () => client.invalidateQueries({ queryKey: key }),
  });
}
