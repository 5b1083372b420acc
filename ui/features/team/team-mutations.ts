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

/** Runs a change of the roster and lets everything that shows it read again. */
function useTeamMutation<V, R>(mutationFn: (values: V) => Promise<R>) {
  const client = useQueryClient();
  return useMutation({ mutationFn, onSettled: () => client.invalidateQueries({ queryKey: teamKeys.all }) });
}

export const useCreateMember = () =>
  useTeamMutation((body: NewMember) => call<MemberDetail>('/team', { method: 'POST', body }));

/** Changes only the keys given; `revision` makes the daemon refuse with `file_changed` when the file moved on. */
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

/** Deletes a member; what was read of it is forgotten, so that nobody asks for it again. */
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

export const useRestoreMember = () =>
  useTeamMutation((id: string) => call<MemberDetail>(`${memberPath(id)}/restore`, { method: 'POST', body: {} }));

/** Brings every one of these default members back, one after the other; the first refusal ends it. */
export const useRestoreDefaults = () =>
  useTeamMutation(async (ids: readonly string[]) => {
    for (const id of ids) await call<MemberDetail>(`${memberPath(id)}/restore`, { method: 'POST', body: {} });
  });

/** Puts a deleted member back with its file byte for byte. Its old token stays dead. */
export const useBringBackMember = () =>
  useTeamMutation(async ({ member, text }: { member: MemberDetail; text: string }) => {
    const created = await call<MemberDetail>('/team', {
      method: 'POST',
      body: { id: member.id, name: member.name, body: member.body },
    });
    return call<MemberFile>(`${memberPath(member.id)}/file`, {
      method: 'PUT',
      body: { text },
      ifMatch: created.revision,
    });
  });

/** What came of rotating tokens: one that fails leaves the others rotated. */
export interface RotatedTokens {
  rotated: string[];
  failed: { id: string; why: string }[];
}

/** Gives each of the members another token, one after the other. */
export const useRotateTokens = () =>
  useTeamMutation(async (ids: readonly string[]): Promise<RotatedTokens> => {
    const outcome: RotatedTokens = { rotated: [], failed: [] };
    for (const id of ids) {
      try {
        await call<TokenRotated>(`${memberPath(id)}/token/rotate`, { method: 'POST' });
        outcome.rotated.push(id);
      } catch (error) {
        outcome.failed.push({ id, why: error instanceof Error ? error.message : String(error) });
      }
    }
    return outcome;
  });

export const useDraftMember = () =>
  useMutation({ mutationFn: (body: DraftRequest) => call<Draft>('/team/draft', { method: 'POST', body }) });
