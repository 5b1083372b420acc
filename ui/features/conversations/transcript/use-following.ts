import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react';
import { isAtEnd, isFollowing, type View } from './follow.js';

const getView = (log: HTMLElement): View => ({ top: log.scrollTop, height: log.clientHeight, whole: log.scrollHeight });

const isAtEndExactly = (place: HTMLElement) => {
  const view = getView(place);
  return isAtEnd(view) && view.whole - view.top - view.height < 1;
};

/** Attributes that mark the element at which a log opens. */
export const OPENS_HERE = { 'data-opens-here': '' } as const;

/** Scrolls the mark to the top of the log. Returns false when there is none. */
function showMark(place: HTMLElement): boolean {
  const mark = place.querySelector('[data-opens-here]');
  if (!mark) return false;
  place.scrollTop += mark.getBoundingClientRect().top - place.getBoundingClientRect().top;
  return true;
}

/** Calls `onResize` when the log is there, and each time it or its content changes size. */
function useResizes(
  log: RefObject<HTMLDivElement | null>,
  isThere: boolean,
  onResize: (place: HTMLElement) => void,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the log is rendered once it has an item.
  useLayoutEffect(() => {
    const place = log.current;
    const content = place?.firstElementChild;
    if (!place || !content) return;
    const resized = () => onResize(place);
    resized();
    const sizes = new ResizeObserver(resized);
    sizes.observe(content);
    sizes.observe(place);
    return () => sizes.disconnect();
  }, [log, isThere, onResize]);
}

/**
 * Keeps a log scrolled to its end while the user is there; otherwise returns as `seen` the newest item when the user
 * left the end. A log with a mark opens at the mark, with `seenBefore` as `seen`, and stays there until it is scrolled.
 */
export function useFollowing<T>(log: RefObject<HTMLDivElement | null>, newestOne: T | undefined, seenBefore?: T) {
  const [isFollowed, setIsFollowed] = useState(true);
  const [isOpen, setIsOpen] = useState(false);
  const [seen, setSeen] = useState<T>();
  const following = useRef(true);
  const lastTop = useRef(0);
  const newest = useRef<T>(undefined);
  newest.current = newestOne;
  const before = useRef<T>(undefined);
  before.current = seenBefore;
  /** Scroll position at which the mark is at the top; undefined once the user has scrolled. */
  const marked = useRef<number>(undefined);
  const hasOpened = useRef(false);

  const toEnd = useCallback(() => {
    marked.current = undefined;
    following.current = true;
    setIsFollowed(true);
    const place = log.current;
    if (place) place.scrollTop = place.scrollHeight;
  }, [log]);

  const onScroll = useCallback(() => {
    const place = log.current;
    if (!place) return;
    const view = getView(place);
    if (marked.current !== undefined && Math.abs(view.top - marked.current) > 1) marked.current = undefined;
    const was = following.current;
    following.current = isFollowing(was, lastTop.current, view);
    lastTop.current = view.top;
    if (following.current === was) return;
    if (!following.current) setSeen(newest.current);
    setIsFollowed(following.current);
  }, [log]);

  const stay = useCallback((place: HTMLElement) => {
    if (!hasOpened.current || marked.current !== undefined) {
      const isMarked = showMark(place);
      // If everything after the mark fits into the view, the view is at the end.
      following.current = !isMarked || isAtEnd(getView(place));
      marked.current = following.current ? undefined : place.scrollTop;
      lastTop.current = place.scrollTop;
      if (!following.current) setSeen(before.current);
      setIsFollowed(following.current);
    }
    hasOpened.current = true;
    setIsOpen(true);
    if (following.current && !isAtEndExactly(place)) place.scrollTop = place.scrollHeight;
  }, []);
  useResizes(log, newestOne !== undefined, stay);

  // The opening position is known only after layout. Until then the end does not count as seen.
  return { isFollowed, isAtEnd: isOpen && isFollowed, seen, toEnd, onScroll };
}
