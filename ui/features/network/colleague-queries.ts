import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { NetworkAgents, NetworkAsk, NetworkAskBody } from '../../../daemon/contract/shared/network-asks.js';
import { call } from '../../lib/api.js';

const keys = {
  agents: ['network', 'agents'] as const,
  ask: (id: string) => ['network', 'ask', id] as const,
};

/** The daemon publishes no event about members of others. */
const AGENTS_POLL_MS = 3_000;
/** How long the daemon holds a poll. It also returns when more of the answer has come. */
const HOLD_SECONDS = 3;

export const isOver = ({ status }: Pick<NetworkAsk, 'status'>) => status === 'done' || status === 'error';

/** The members that daemons of the network share, read once. */
export const networkAgentsQuery = () =>
  queryOptions({
    queryKey: keys.agents,
    queryFn: async ({ signal }) => (await call<NetworkAgents>('/network/agents', { signal })).agents,
  });

/** The same, read again while it is shown. */
export const liveNetworkAgentsQuery = () => ({ ...networkAgentsQuery(), refetchInterval: AGENTS_POLL_MS });

/** An ask of a colleague's member, read until it has ended. */
export function useNetworkAskQuery(id: string | undefined) {
  const client = useQueryClient();
  return queryOptions({
    queryKey: keys.ask(id ?? ''),
    enabled: id !== undefined,
    queryFn: ({ signal, queryKey }) => {
      const before = client.getQueryData<NetworkAsk>(queryKey);
      const hold = before ? `?wait=${HOLD_SECONDS}&seen=${before.text_so_far?.length ?? 0}` : '';
      return call<NetworkAsk>(`/network/asks/${id}${hold}`, { signal });
    },
    refetchInterval: ({ state: { data } }) => (data && isOver(data) ? false : 50),
  });
}

export const useAskColleague = () =>
  useMutation({
    mutationFn: (body: NetworkAskBody) => call<NetworkAsk>('/network/asks', { method: 'POST', body }),
    gcTime: 0,
  });

export function useCancelAsk() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => call<NetworkAsk>(`/network/asks/${id}`, { method: 'DELETE' }),
    onSuccess: async (ask) => {
      await client.cancelQueries({ queryKey: keys.ask(ask.id) });
      client.setQueryData<NetworkAsk>(keys.ask(ask.id), ask);
    },
  });
}

/** Shares a member of this daemon with the network, or ends that. `onDone` is called before the new list is shown. */
export function useShareMember(onDone: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ member, isShared }: { member: string; isShared: boolean }) =>
      call<NetworkAgents>(`/network/agents/${encodeURIComponent(member)}`, { method: isShared ? 'PUT' : 'DELETE' }),
    onSuccess: async ({ agents }) => {
      await client.cancelQueries({ queryKey: keys.agents });
      onDone();
      client.setQueryData(keys.agents, agents);
    },
  });
}
