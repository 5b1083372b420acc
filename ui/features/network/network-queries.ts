import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type {
  NetworkCreate,
  NetworkJoin,
  NetworkMembers,
  NetworkStatus,
} from '../../../daemon/contract/shared/network.js';
import { call } from '../../lib/api.js';

const networkKeys = { status: ['network', 'status'] as const, members: ['network', 'members'] as const };

/** How often the state is read again, in milliseconds. The daemon publishes no event about it. */
const POLL_MS: Readonly<Record<NetworkStatus['state'], number>> = {
  off: 30_000,
  connecting: 2_000,
  catching_up: 1_000,
  following: 3_000,
  stopped: 10_000,
};
const MEMBERS_POLL_MS = 3_000;

export const networkQuery = () =>
  queryOptions({
    queryKey: networkKeys.status,
    queryFn: ({ signal }) => call<NetworkStatus>('/network', { signal }),
    refetchInterval: ({ state: { data } }) => POLL_MS[data?.state ?? 'connecting'],
  });

export const networkMembersQuery = () =>
  queryOptions({
    queryKey: networkKeys.members,
    queryFn: async ({ signal }) => (await call<NetworkMembers>('/network/members', { signal })).members,
    refetchInterval: MEMBERS_POLL_MS,
  });

/** A mutation that returns the new state. Its variables may hold credentials: nothing of it is kept after its end. */
function useNetworkMutation<V>(mutationFn: (values: V) => Promise<NetworkStatus>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    gcTime: 0,
    onSuccess: async (status) => {
      // A read that began before the change would overwrite its result.
      await client.cancelQueries({ queryKey: networkKeys.status });
      client.setQueryData<NetworkStatus>(networkKeys.status, status);
      await client.invalidateQueries({ queryKey: networkKeys.members });
    },
  });
}

/** Creates a network with `isNew`, else joins one. */
export const useEnterNetwork = (isNew: boolean) =>
  useNetworkMutation((body: NetworkCreate | NetworkJoin) =>
    call<NetworkStatus>('/network', { method: isNew ? 'POST' : 'PUT', body }),
  );

export const useLeaveNetwork = () =>
  useNetworkMutation((_: undefined) => call<NetworkStatus>('/network', { method: 'DELETE' }));
