import { QueryClient } from '@tanstack/react-query';
import { ApiError } from '../lib/api.js';

/** Events invalidate cached data. The age, in milliseconds, only decides what a newly opened page reads again. */
const FRESH_MS = 10_000;

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        // The daemon is on this machine, so the browser's online state does not apply.
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
