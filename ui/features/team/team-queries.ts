import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type {
  Draft,
  DraftRequest,
  MemberDeleted,
  MemberDetail,
  MemberFile,
  MemberList,
  MemberPatch,
  NewMember,
} from '../../../daemon/contract/team.js';
import { call } from '../../lib/api.js';

export const teamKeys = {
  all: ['team'] as const,
  list: ['team', 'list'] as const,
  member: (id: string) => ['team', 'member', id] as const,
  file: (id: string) => ['team', 'member', id, 'file'] as const,
};

const path = (id: string) => `/team/${encodeURIComponent(id)}`;

export const teamQuery = () => queryOptions({ queryKey: teamKeys.list, queryFn: ({ signal }) => call<MemberList>('/team', { signal }) });

export const memberQuery = (id: string) =>
  queryOptions({ queryKey: teamKeys.member(id), queryFn: ({ signal }) => call<MemberDetail>(path(id), { signal }) });

export const memberFileQuery = (id: string) =>
  queryOptions({ queryKey: teamKeys.file(id), queryFn: ({ signal }) => call<MemberFile>(`${path(id)}/file`, { signal }) });

/** Runs a change of the roster and lets everything that shows it read again. */
function useTeamMutation<V, R>(mutationFn: (values: V) => Promise<R>) {
  const client = useQueryClient();
  return useMutation({ mutationFn, onSettled: () => client.invalidateQueries({ queryKey: teamKeys.all }) });
}

export const useCreateMember = () => useTeamMutation((body: NewMember) => call<MemberDetail>('/team', { method: 'POST', body }));

/** Changes only the keys given; `revision` makes the daemon refuse with `file_changed` when the file moved on. */
export const usePatchMember = (id: string) =>
  useTeamMutation(({ patch, revision }: { patch: MemberPatch; revision?: string }) =>
    call<MemberDetail>(path(id), { method: 'PATCH', body: patch, ...(revision ? { ifMatch: revision } : {}) }),
  );

export const useWriteMemberFile = (id: string) =>
  useTeamMutation(({ text, revision }: { text: string; revision?: string }) =>
    call<MemberFile>(`${path(id)}/file`, { method: 'PUT', body: { text }, ...(revision ? { ifMatch: revision } : {}) }),
  );

export const useDeleteMember = () => useTeamMutation((id: string) => call<MemberDeleted>(path(id), { method: 'DELETE' }));

export const useRestoreMember = () => useTeamMutation((id: string) => call<MemberDetail>(`${path(id)}/restore`, { method: 'POST', body: {} }));

/** Puts a deleted member back with its file byte for byte. Its old token stays dead. */
export const useBringBackMember = () =>
  useTeamMutation(async ({ member, text }: { member: MemberDetail; text: string }) => {
    const created = await call<MemberDetail>('/team', { method: 'POST', body: { id: member.id, name: member.name, body: member.body } });
    return call<MemberFile>(`${path(member.id)}/file`, { method: 'PUT', body: { text }, ifMatch: created.revision });
  });

export const useDraftMember = () =>
  useMutation({ mutationFn: (body: DraftRequest) => call<Draft>('/team/draft', { method: 'POST', body }) });
