import { queryOptions } from '@tanstack/react-query';
import type { Editors } from '../../../daemon/contract/code.js';
import { call } from '../../lib/api.js';
import { systemKeys } from '../system/system-queries.js';

/** The editors of this machine, and the one that files open in. Read again when the preferences change. */
export const editorsQuery = () =>
  queryOptions({
    queryKey: [...systemKeys.preferences, 'editors'] as const,
    queryFn: ({ signal }) => call<Editors>('/project/editors', { signal }),
    staleTime: 60_000,
  });
