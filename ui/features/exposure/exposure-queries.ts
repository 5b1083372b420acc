import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { PublicCard } from '../../../daemon/contract/card.js';
import type { MemberDetail, TokenRotated } from '../../../daemon/contract/team.js';
import { call } from '../../lib/api.js';

const path = (id: string) => `/team/${encodeURIComponent(id)}`;

/** Opens or closes the door. Opening mints a token when there is none; closing revokes it. */
export const setExposure = (id: string, isOpen: boolean) =>
  call<MemberDetail>(path(id), { method: 'PATCH', body: { exposure: isOpen ? 'external' : 'internal' } });

/** `onDone` runs even when what asked is no longer shown by then. */
function useDoorMutation<V, R>(mutationFn: (value: V) => Promise<R>, onDone?: (value: V) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: (_, value) => onDone?.(value),
    onSettled: () => client.invalidateQueries({ queryKey: ['team'] }),
  });
}

export const useSetExposure = (id: string) => useDoorMutation((isOpen: boolean) => setExposure(id, isOpen));

/** Runs `act` for each of the members, whatever it throws for one of them; throws what it threw first. */
async function forEach(ids: readonly string[], act: (id: string) => Promise<unknown>): Promise<void> {
  const failures: unknown[] = [];
  for (const id of ids) await act(id).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/** The operator's agreement to members that the repository opens. */
export const useExposeMembers = (onDone?: (ids: readonly string[]) => void) =>
  useDoorMutation(
    (ids: readonly string[]) =>
      forEach(ids, (id) => call<MemberDetail>(`${path(id)}/expose`, { method: 'POST', body: {} })),
    onDone,
  );

/** Keeps such members internal and leaves their files as they are. */
export const useKeepInternal = (onDone?: (ids: readonly string[]) => void) =>
  useDoorMutation(
    (ids: readonly string[]) =>
      forEach(ids, (id) => call<MemberDetail>(`${path(id)}/keep-internal`, { method: 'POST', body: {} })),
    onDone,
  );

export const useRotateToken = (id: string) =>
  useDoorMutation((_: undefined) => call<TokenRotated>(`${path(id)}/token/rotate`, { method: 'POST', body: {} }));

export const cardQuery = (id: string) =>
  queryOptions({
    queryKey: ['card', id] as const,
    queryFn: ({ signal }) => call<PublicCard>(`${path(id)}/.well-known/agent.json`, { signal }),
    staleTime: 0,
  });
