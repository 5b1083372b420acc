import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Call, CallList, Ledger, WalletList } from '../../../daemon/contract/payments.js';
import { call, query } from '../../lib/api.js';
import type { LedgerFilters } from './ledger/ledger-search.js';
import { paymentsKeys } from './payments-keys.js';

const PAGE = 50;
/** A payment request expires without an event, so a list that shows one is read again. */
const READ_AGAIN_MS = 30_000;

export const ledgerQuery = (filters: LedgerFilters) =>
  infiniteQueryOptions({
    queryKey: [...paymentsKeys.ledger, filters] as const,
    queryFn: ({ pageParam, signal }) =>
      call<Ledger>(`/ledger${query({ ...filters, limit: PAGE, cursor: pageParam || undefined })}`, { signal }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some(({ entries }) => entries.some(({ state }) => state === 'challenged')) ? READ_AGAIN_MS : false,
  });

export const walletsQuery = () =>
  queryOptions({
    queryKey: paymentsKeys.wallets,
    queryFn: async ({ signal }) => (await call<WalletList>('/wallets', { signal })).wallets,
  });

const callPath = (id: string) => `/calls/${encodeURIComponent(id)}`;

export const callQuery = (id: string) =>
  queryOptions({ queryKey: paymentsKeys.call(id), queryFn: ({ signal }) => call<Call>(callPath(id), { signal }) });

const RECENT_CALLS = 50;

/** The newest calls made by this daemon, without their results. */
export const callsQuery = () =>
  queryOptions({
    queryKey: [...paymentsKeys.calls, 'recent'] as const,
    queryFn: async ({ signal }) => (await call<CallList>(`/calls${query({ limit: RECENT_CALLS })}`, { signal })).calls,
  });
