import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { PublicCard } from '../../../daemon/contract/card.js';
import type { MemberDetail, TokenRotated } from '../../../daemon/contract/team.js';
import { call } from '../../lib/api.js';

const path = (id: string) => `/team/${encodeURIComponent(id)}`;

/** Opens or closes the door. Opening mints a token when there is none; closing revokes it. */
export const setExposure = (id: string, isOpen: boolean) =>
  call<MemberDetail>(path(id), { method: 'PATCH', body: { exposure: isOpen ? 'external' : 'internal' } });

function useDoorMutation<V, R>(mutationFn: (value: V) => Promise<R>) {
  const client = useQueryClient();
  return useMutation({ mutationFn, onSettled: () => client.invalidateQueries({ queryKey: ['team'] }) });
}

export const useSetExposure = (id: string) => useDoorMutation((isOpen: boolean) => setExposure(id, isOpen));

export const useRotateToken = (id: string) =>
  useDoorMutation((_: undefined) => call<TokenRotated>(`${path(id)}/token/rotate`, { method: 'POST', body: {} }));

export const cardQuery = (id: string) =>
  queryOptions({
    queryKey: ['card', id] as const,
    queryFn: ({ signal }) => call<PublicCard>(`${path(id)}/.well-known/agent.json`, { signal }),
    staleTime: 0,
  });
