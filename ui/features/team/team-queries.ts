import { queryOptions } from '@tanstack/react-query';
import type { MemberDetail, MemberFile, MemberList } from '../../../daemon/contract/team.js';
import { call } from '../../lib/api.js';

export const teamKeys = {
  all: ['team'] as const,
  list: ['team', 'list'] as const,
  member: (id: string) => ['team', 'member', id] as const,
  file: (id: string) => ['team', 'member', id, 'file'] as const,
};

export const memberPath = (id: string) => `/team/${encodeURIComponent(id)}`;

export const teamQuery = () =>
  queryOptions({ queryKey: teamKeys.list, queryFn: ({ signal }) => call<MemberList>('/team', { signal }) });

export const memberQuery = (id: string) =>
  queryOptions({
    queryKey: teamKeys.member(id),
    queryFn: ({ signal }) => call<MemberDetail>(memberPath(id), { signal }),
  });

export const memberFileQuery = (id: string) =>
  queryOptions({
    queryKey: teamKeys.file(id),
    queryFn: ({ signal }) => call<MemberFile>(`${memberPath(id)}/file`, { signal }),
  });
