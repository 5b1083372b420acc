import { queryOptions } from '@tanstack/react-query';
import type { ApprovalList } from '../../../daemon/contract/payments.js';
import { call } from '../../lib/api.js';
import { paymentsKeys } from './payments-keys.js';

/** Payments over the caps that wait for the operator. In a module of its own, because every page counts them. */
export const approvalsQuery = () =>
  queryOptions({
    queryKey: paymentsKeys.approvals,
    queryFn: async ({ signal }) => (await call<ApprovalList>('/approvals', { signal })).approvals,
  });
