import { useCallback, useEffect, useRef, useSyncExternalStore } from 'react';
import type { SavedClusterDetail } from '../../../../daemon/contract/saved-clusters.js';
import { useMarkClusterRead } from '../cluster-mutations.js';

const READ_AFTER_MS = 500;

const watchVisibility = (told: () => void) => {
  document.addEventListener('visibilitychange', told);
  return () => document.removeEventListener('visibilitychange', told);
};
const isVisible = () => document.visibilityState === 'visible';

/**
 * Marks messages as read once the end of the log was on screen for a moment. If the user leaves sooner, they stay
 * unread.
 */
export function useReading({ cluster_id, unread, held }: SavedClusterDetail, isAtEnd: boolean, heard: number): void {
  const isSeen = useSyncExternalStore(watchVisibility, isVisible);
  const { mutate } = useMarkClusterRead(cluster_id);
  const newest = useRef(heard);
  newest.current = heard;
  const readTo = useRef(heard);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const read = useCallback(() => {
    clearTimeout(timer.current);
    timer.current = undefined;
    readTo.current = newest.current;
    mutate();
  }, [mutate]);
  useEffect(() => {
    const isDue = isSeen && isAtEnd && held && (unread > 0 || heard > readTo.current);
    if (isDue) timer.current ??= setTimeout(read, READ_AFTER_MS);
  }, [isSeen, isAtEnd, held, unread, heard, read]);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
}
