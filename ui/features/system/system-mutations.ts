import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { PreferencesPatch } from '../../../daemon/contract/system.js';
import { patchPreferences } from './system-queries.js';

/** Changes preferences, and knows whether that is under way or was refused. */
export function usePatchPreferences() {
  const client = useQueryClient();
  return useMutation({ mutationFn: (patch: PreferencesPatch) => patchPreferences(client, patch) });
}
