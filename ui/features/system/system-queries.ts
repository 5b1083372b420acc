import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { ClientList } from '../../../daemon/contract/clients.js';
import type { DoctorReport, Health, Preferences, PreferencesPatch } from '../../../daemon/contract/system.js';
import { call } from '../../lib/api.js';

export const systemKeys = {
  health: ['health'] as const,
  doctor: ['doctor'] as const,
  clients: ['clients'] as const,
  preferences: ['preferences'] as const,
};

export const healthQuery = () =>
  queryOptions({
    queryKey: systemKeys.health,
    queryFn: ({ signal }) => call<Health>('/health', { signal }),
    refetchInterval: 60_000,
  });

export const doctorQuery = () =>
  queryOptions({ queryKey: systemKeys.doctor, queryFn: ({ signal }) => call<DoctorReport>('/doctor', { signal }) });

export const clientsQuery = () =>
  queryOptions({ queryKey: systemKeys.clients, queryFn: ({ signal }) => call<ClientList>('/clients', { signal }) });

export const preferencesQuery = () =>
  queryOptions({
    queryKey: systemKeys.preferences,
    queryFn: ({ signal }) => call<Preferences>('/preferences', { signal }),
  });

/** Changes preferences optimistically. When the daemon rejects the change, restores the former values and throws. */
export async function patchPreferences(client: QueryClient, patch: PreferencesPatch): Promise<void> {
  const { preferences: queryKey } = systemKeys;
  await client.cancelQueries({ queryKey });
  const before = client.getQueryData<Preferences>(queryKey);
  if (before) client.setQueryData<Preferences>(queryKey, { ...before, ...patch });
  try {
    await call<Preferences>('/preferences', { method: 'PATCH', body: patch });
  } catch (refusal) {
    client.setQueryData(queryKey, before);
    throw refusal;
  } finally {
    void client.invalidateQueries({ queryKey });
  }
}
