import { QueryClient } from '@tanstack/react-query';
import { ApiError } from '../lib/api.js';

/** Events keep answers fresh; age only decides what a newly opened page asks again. */
const FRESH_MS = 10_000;

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        // The daemon is on this machine: the browser's idea of being online says nothing about it.
        networkMode: 'always',
        refetchOnReconnect: false,
        retry: (failures, error) =>
          failures < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 502),
        retryDelay: (attempt) => 300 * 2 ** attempt,
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });
}
