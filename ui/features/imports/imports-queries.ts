import { queryOptions } from '@tanstack/react-query';
import type {
  AgentFormat,
  DriftList,
  ExportBody,
  ExportedList,
  ImportCandidates,
  ImportScope,
  PullPreview,
} from '../../../daemon/contract/imports.js';
import { call, query } from '../../lib/api.js';
import { importsKey } from './imports-key.js';

/** The agents of other tools in the project or, with `user`, in the home folder. Listing them writes nothing. */
export const importsQuery = (scope: ImportScope) =>
  queryOptions({
    queryKey: [...importsKey, 'found', scope],
    queryFn: ({ signal }) => call<ImportCandidates>(`/imports${query({ scope })}`, { signal }),
  });

/** The imported members whose sources have changed. */
export const driftQuery = () =>
  queryOptions({
    queryKey: [...importsKey, 'drift'],
    queryFn: async ({ signal }) => (await call<DriftList>('/imports/drift', { signal })).drifted,
  });

/** A preview of a member's file after a pull. */
export const pullPreviewQuery = (id: string) =>
  queryOptions({
    queryKey: [...importsKey, 'pull', id],
    queryFn: ({ signal }) => call<PullPreview>(`/imports/${encodeURIComponent(id)}/drift`, { signal }),
  });

/** A preview of an export of one member or all members. */
export const exportQuery = (format: AgentFormat, member: string | undefined) =>
  queryOptions({
    queryKey: [...importsKey, 'export', format, member ?? ''],
    queryFn: ({ signal }) =>
      call<ExportedList>('/exports', {
        method: 'POST',
        body: { format, ...(member !== undefined && { ids: [member] }) } satisfies ExportBody,
        signal,
      }),
  });
