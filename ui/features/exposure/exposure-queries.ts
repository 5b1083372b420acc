import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { PublicCard } from '../../../daemon/contract/network/card.js';
import type { MemberDetail, TokenRotated } from '../../../daemon/contract/team.js';
import { call } from '../../lib/api.js';

const path = (id: string) => `/team/${encodeURIComponent(id)}`;

/** Exposes or hides a member. Exposing creates a token when there is none; hiding revokes it. */
const setExposure = (id: string, isOpen: boolean) =>
  call<MemberDetail>(path(id), { method: 'PATCH', body: { exposure: isOpen ? 'external' : 'internal' } });

/** A mutation of the exposure. `onDone` runs even if the component is unmounted by then. */
function useExposureMutation<V, R>(mutationFn: (value: V) => Promise<R>, onDone?: (value: V) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: (_, value) => onDone?.(value),
    onSettled: () => client.invalidateQueries({ queryKey: ['team'] }),
  });
}

export const useSetExposure = (id: string) => useExposureMutation((isOpen: boolean) => setExposure(id, isOpen));

/** Runs `act` for each id even if some fail, then throws the first error. */
async function forEach(ids: readonly string[], act: (id: string) => Promise<unknown>): Promise<void> {
  const failures: unknown[] = [];
  for (const id of ids) await act(id).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/** Agrees to expose members that the repository's files expose. */
export const useExposeMembers = (onDone?: (ids: readonly string[]) => void) =>
  useExposureMutation(
    (ids: readonly string[]) =>
      forEach(ids, (id) => call<MemberDetail>(`${path(id)}/expose`, { method: 'POST', body: {} })),
    onDone,
  );

/** Keeps such members internal and leaves their files unchanged. */
export const useKeepInternal = (onDone?: (ids: readonly string[]) => void) =>
  useExposureMutation(
    (ids: readonly string[]) =>
      forEach(ids, (id) => call<MemberDetail>(`${path(id)}/keep-internal`, { method: 'POST', body: {} })),
    onDone,
  );

export const useRotateToken = (id: string) =>
  useExposureMutation((_: undefined) => call<TokenRotated>(`${path(id)}/token/rotate`, { method: 'POST', body: {} }));

export const cardQuery = (id: string) =>
  queryOptions({
    queryKey: ['card', id] as const,
    queryFn: ({ signal }) => call<PublicCard>(`${path(id)}/.well-known/agent.json`, { signal }),
    staleTime: 0,
  });
