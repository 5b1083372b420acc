import { useQuery } from '@tanstack/react-query';
import { usePatchPreferences } from './system-mutations.js';
import { preferencesQuery } from './system-queries.js';

/** Whether screen readers are told nothing of new messages, wherever they are said; kept by the daemon. */
export function useMuting(): [isMuted: boolean, mute: (isMuted: boolean) => void] {
  const { data: preferences } = useQuery(preferencesQuery());
  const { mutate } = usePatchPreferences();
  return [preferences?.announcements === false, (isMuted) => mutate({ announcements: !isMuted })];
}
