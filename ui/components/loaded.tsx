import type { ReactNode } from 'react';
import { ErrorPanel, Skeleton } from './states.js';

interface QueryState<T> {
  data: T | undefined;
  error: unknown;
  isPending: boolean;
  refetch: () => unknown;
}

/**
 * Renders a query's data, a skeleton while it loads, or its error. Data that was loaded stays on screen while a refetch
 * fails.
 */
export function Loaded<T>({
  query,
  what,
  rows,
  children,
}: {
  query: QueryState<T>;
  /** What could not be shown, as a sentence: `The roster could not be read.` */
  what: string;
  rows?: number;
  children: (data: T) => ReactNode;
}) {
  if (query.data !== undefined) return children(query.data);
  if (query.isPending && !query.error) return <Skeleton rows={rows ?? 4} />;
  return <ErrorPanel what={what} error={query.error} onRetry={() => void query.refetch()} />;
}
