import { queryOptions } from '@tanstack/react-query';
import type { BudgetList } from '../../../daemon/contract/work/budgets.js';
import { call } from '../../lib/api.js';

export const budgetsKey = ['budgets'] as const;

/** The budgets with a limit. In a module of its own, because every page counts those that are nearly spent. */
export const budgetsQuery = () =>
  queryOptions({
    queryKey: [...budgetsKey, 'list'],
    queryFn: ({ signal }) => call<BudgetList>('/budgets', { signal }),
  });
