import { useMutation, useQueryClient } from '@tanstack/react-query';
import type {
  Draft,
  DraftRequest,
  MemberDeleted,
  MemberDetail,
  MemberFile,
  MemberPatch,
  NewMember,
  TokenRotated,
} from '../../../daemon/contract/team.js';
import { call } from '../../lib/api.js';
import { memberPath, teamKeys } from './team-queries.js';

/** A mutation of the roster that invalidates everything read of it. */
function useTeamMutation<V, R>(mutationFn: (values: V) => Promise<R>) {
  const client = useQueryClient();
  return useMutation({ mutationFn, onSettled: () => client.invalidateQueries({ queryKey: teamKeys.all }) });
}

export const useCreateMember = () =>
  useTeamMutation((body: NewMember) => call<MemberDetail>('/team', { method: 'POST', body }));

/** Changes only the given keys. With `revision`, fails with `file_changed` when the file has another revision. */
export const usePatchMember = (id: string) =>
  useTeamMutation(({ patch, revision }: { patch: MemberPatch; revision?: string }) =>
    call<MemberDetail>(memberPath(id), { method: 'PATCH', body: patch, ...(revision ? { ifMatch: revision } : {}) }),
  );

export const useWriteMemberFile = (id: string) =>
  useTeamMutation(({ text, revision }: { text: string; revision?: string }) =>
    call<MemberFile>(`${memberPath(id)}/file`, {
      method: 'PUT',
      body: { text },
      ...(revision ? { ifMatch: revision } : {}),
    }),
  );

/** Deletes a member and removes its cached file, so that it is not read again. */
export function useDeleteMember() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => call<MemberDeleted>(memberPath(id), { method: 'DELETE' }),
    onSuccess: (_answer, id) => {
      client.removeQueries({ queryKey: teamKeys.file(id) });
      return client.invalidateQueries({ queryKey: teamKeys.list });
    },
  });
}

/** Restores a removed member with the text that it had, or a default member as shipped. */
export const useRestoreMember = () =>
  useTeamMutation((id: string) => call<MemberDetail>(`${memberPath(id)}/restore`, { method: 'POST', body: {} }));

/** Restores default members one after the other. The first error ends it. */
export const useRestoreDefaults = () =>
  useTeamMutation(async (ids: readonly string[]) => {
    for (const id of ids) await call<MemberDetail>(`${memberPath(id)}/restore`, { method: 'POST', body: {} });
  });

/** What was done with members one after the other. A failure leaves the others done. */
interface MembersDone {
  done: string[];
  failed: { id: string; why: string }[];
}

async function doEach(ids: readonly string[], act: (id: string) => Promise<unknown>): Promise<MembersDone> {
  const outcome: MembersDone = { done: [], failed: [] };
  for (const id of ids) {
    try {
      await act(id);
      outcome.done.push(id);
    } catch (error) {
      outcome.failed.push({ id, why: error instanceof Error ? error.message : String(error) });
    }
  }
  return outcome;
}

/** Rotates the tokens of members. */
export const useRotateTokens = () =>
  useTeamMutation((ids: readonly string[]) =>
    doEach(ids, (id) => call<TokenRotated>(`${memberPath(id)}/token/rotate`, { method: 'POST' })),
  );

/** Changes the same keys of several members. */
export const usePatchMembers = () =>
  useTeamMutation(({ ids, patch }: { ids: readonly string[]; patch: MemberPatch }) =>
    doEach(ids, (id) => call<MemberDetail>(memberPath(id), { method: 'PATCH', body: patch })),
  );

/** Deletes several members. The first error ends it. */
export const useDeleteMembers = () =>
  useTeamMutation(async (ids: readonly string[]) => {
    for (const id of ids) await call<MemberDeleted>(memberPath(id), { method: 'DELETE' });
  });

export const useDraftMember = () =>
  useMutation({ mutationFn: (body: DraftRequest) => call<Draft>('/team/draft', { method: 'POST', body }) });
