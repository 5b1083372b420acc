import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { MemberTests, MemberTestsList, MemberTestsText } from '../../../daemon/contract/member-tests.js';
import { call } from '../../lib/api.js';
import { memberPath, teamKeys } from '../team/team-queries.js';
import { testsKeys } from './tests-keys.js';

const path = (id: string) => `${memberPath(id)}/tests`;

export const memberTestsQuery = (id: string) =>
  queryOptions({ queryKey: testsKeys.one(id), queryFn: ({ signal }) => call<MemberTests>(path(id), { signal }) });

export const testsListQuery = () =>
  queryOptions({ queryKey: testsKeys.list, queryFn: ({ signal }) => call<MemberTestsList>('/tests', { signal }) });

/** A mutation of a member's tests. Its response replaces the cached tests. */
function useTestsMutation<V>(id: string, mutationFn: (value: V) => Promise<MemberTests>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: (tests) => {
      client.setQueryData(testsKeys.one(id), tests);
      // Tests that stop blocking may have exposed the member.
      return client.invalidateQueries({ queryKey: teamKeys.member(id), exact: true });
    },
  });
}

/** Runs the tests at these indexes, or all of them. */
export const useRunTests = (id: string) =>
  useTestsMutation(id, (only: readonly number[] | undefined) =>
    call<MemberTests>(`${path(id)}/run`, { method: 'POST', body: only === undefined ? {} : { only } }),
  );

export const useCancelTests = (id: string) =>
  useTestsMutation(id, (_: undefined) => call<MemberTests>(`${path(id)}/cancel`, { method: 'POST', body: {} }));

export const useWriteTests = (id: string) =>
  useTestsMutation(id, (body: MemberTestsText) => call<MemberTests>(path(id), { method: 'PUT', body }));
