import { queryOptions } from '@tanstack/react-query';
import type { Ledger } from '../../../daemon/contract/payments.js';
import { call } from '../../lib/api.js';
import { paymentsKeys } from './payments-keys.js';

/** Caps, totals, earnings and deposits, with the newest entry. */
export const ledgerTotalsQuery = () =>
  queryOptions({
    queryKey: [...paymentsKeys.ledger, 'standing'] as const,
    queryFn: ({ signal }) => call<Ledger>('/ledger?limit=1', { signal }),
  });
