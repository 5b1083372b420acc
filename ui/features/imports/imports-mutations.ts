import { useMutation, useQueryClient } from '@tanstack/react-query';
import type {
  DriftBody,
  DriftList,
  ExportBody,
  ExportedList,
  ImportBody,
  Imported,
} from '../../../daemon/contract/imports.js';
import type { MemberDeleted, MemberFile } from '../../../daemon/contract/team.js';
import { call } from '../../lib/api.js';
import { memberPath, teamKeys } from '../team/team-queries.js';
import { importsKey } from './imports-key.js';

/** A mutation that invalidates the roster and the queries about other tools' agents. */
function useImportsMutation<V, R>(mutationFn: (values: V) => Promise<R>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: importsKey }),
        client.invalidateQueries({ queryKey: teamKeys.all }),
      ]),
  });
}

export const useImport = () =>
  useImportsMutation((items: ImportBody['items']) => call<Imported>('/imports', { method: 'POST', body: { items } }));

/** Deletes the members of an import one by one. Resolves with the ids of those that could not be deleted. */
export const useUndoImport = () =>
  useImportsMutation(async (ids: readonly string[]) => {
    const left: string[] = [];
    for (const id of ids) {
      await call<MemberDeleted>(memberPath(id), { method: 'DELETE' }).catch(() => left.push(id));
    }
    return left;
  });

/** A settled drift: the member's file before, and its revision since. Enough to undo it. */
export interface SettledDrift {
  id: string;
  before: string;
  revision: string;
}

const getFile = (id: string) => call<MemberFile>(`${memberPath(id)}/file`);

export const useSettleDrift = () =>
  useImportsMutation(async ({ id, action }: { id: string; action: DriftBody['action'] }): Promise<SettledDrift> => {
    const { text: before } = await getFile(id);
    await call<DriftList>(`/imports/${encodeURIComponent(id)}/drift`, { method: 'POST', body: { action } });
    return { id, before, revision: (await getFile(id)).revision };
  });

/** Restores a member's former file. Fails if it was edited since. */
export const useUnsettleDrift = () =>
  useImportsMutation(({ id, before, revision }: SettledDrift) =>
    call<MemberFile>(`${memberPath(id)}/file`, { method: 'PUT', body: { text: before }, ifMatch: revision }),
  );

export const useExport = () =>
  useImportsMutation((body: ExportBody) =>
    call<ExportedList>('/exports', { method: 'POST', body: { ...body, write: true } }),
  );
