import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { Budget, BudgetEdit, BudgetRaise } from '../../../daemon/contract/work/budgets.js';
import { call } from '../../lib/api.js';
import { budgetsKey } from './budgets-query.js';

const READ_EVERY_MS = 15_000;
const path = (scope: string, more = '') => `/budgets/${encodeURIComponent(scope)}${more}`;

/** One budget, also without a limit. Running turns are counted while it is shown. */
export const budgetQuery = (scope: string) =>
  queryOptions({
    queryKey: [...budgetsKey, 'one', scope],
    queryFn: ({ signal }) => call<Budget>(path(scope), { signal }),
    refetchInterval: READ_EVERY_MS,
  });

function useBudgetMutation<V>(mutationFn: (value: V) => Promise<unknown>) {
  const client = useQueryClient();
  return useMutation({ mutationFn, onSettled: () => client.invalidateQueries({ queryKey: budgetsKey }) });
}

export const useSetBudget = (scope: string) =>
  useBudgetMutation((body: BudgetEdit) => call<Budget>(path(scope), { method: 'PUT', body }));

export const useClearBudget = (scope: string) =>
  useBudgetMutation((_: undefined) => call<void>(path(scope), { method: 'DELETE' }));

export const useRaiseBudget = (scope: string) =>
  useBudgetMutation((body: BudgetRaise) => call<Budget>(path(scope, '/raise'), { method: 'POST', body }));

export const useLeaveBudget = (scope: string) =>
  useBudgetMutation((_: undefined) => call<Budget>(path(scope, '/leave'), { method: 'POST' }));
