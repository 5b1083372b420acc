import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react';
import { isAtEnd, isFollowing, type View } from './follow.js';

const viewOf = (log: HTMLElement): View => ({ top: log.scrollTop, height: log.clientHeight, whole: log.scrollHeight });

const isAtEndExactly = (place: HTMLElement) => {
  const view = viewOf(place);
  return isAtEnd(view) && view.whole - view.top - view.height < 1;
};

/** Stays at the end while one is there, whatever grows; else remembers as `seen` what was the newest one when it was left. */
export function useFollowing<T>(log: RefObject<HTMLDivElement | null>, newestOne: T | undefined) {
  const [isFollowed, setIsFollowed] = useState(true);
  const [seen, setSeen] = useState<T>();
  const following = useRef(true);
  const lastTop = useRef(0);
  const newest = useRef<T>(undefined);
  newest.current = newestOne;

  const toEnd = useCallback(() => {
    following.current = true;
    setIsFollowed(true);
    const place = log.current;
    if (place) place.scrollTop = place.scrollHeight;
  }, [log]);

  const onScroll = useCallback(() => {
    const place = log.current;
    if (!place) return;
    const view = viewOf(place);
    const was = following.current;
    following.current = isFollowing(was, lastTop.current, view);
    lastTop.current = view.top;
    if (following.current === was) return;
    if (!following.current) setSeen(newest.current);
    setIsFollowed(following.current);
  }, [log]);

  const isThere = newestOne !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the log is drawn once there is something in it.
  useLayoutEffect(() => {
    const place = log.current;
    const content = place?.firstElementChild;
    if (!place || !content) return;
    const stay = () => {
      if (following.current && !isAtEndExactly(place)) place.scrollTop = place.scrollHeight;
    };
    stay();
    const sizes = new ResizeObserver(stay);
    sizes.observe(content);
    sizes.observe(place);
    return () => sizes.disconnect();
  }, [log, isThere]);

  return { isFollowed, seen, toEnd, onScroll };
}
