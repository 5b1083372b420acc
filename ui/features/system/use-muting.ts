import { useQuery } from '@tanstack/react-query';
import { useToast } from '../../components/toasts.js';
import { useChosen } from '../../lib/use-chosen.js';
import { usePatchPreferences } from './system-mutations.js';
import { preferencesQuery } from './system-queries.js';

/**
 * Whether new messages are not announced to screen readers, for all conversations and clusters. The daemon stores it. A
 * failure is shown as a toast.
 */
export function useMuting(): [isMuted: boolean, mute: (isMuted: boolean) => void] {
  const { data: preferences } = useQuery(preferencesQuery());
  const { mutateAsync } = usePatchPreferences();
  const say = useToast();
  return useChosen(preferences?.announcements === false, (isMuted) =>
    mutateAsync({ announcements: !isMuted }).catch((refusal: Error) =>
      say({ text: `The preference was not saved. ${refusal.message}`, tone: 'failed' }),
    ),
  );
}
