import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { PreferencesPatch } from '../../../daemon/contract/system.js';
import { patchPreferences } from './system-queries.js';

/** A mutation of the preferences. */
export function usePatchPreferences() {
  const client = useQueryClient();
  return useMutation({ mutationFn: (patch: PreferencesPatch) => patchPreferences(client, patch) });
}
