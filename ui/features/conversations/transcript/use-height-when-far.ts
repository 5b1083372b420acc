import { type RefObject, useEffect, useState } from 'react';

/** How far outside the view a part of a log is still rendered. */
const DRAWN_MARGIN = '1600px 0px';

/**
 * Returns the height of an empty placeholder for a part of `log` that is far from the view; undefined while it must be
 * rendered. A part that is probably far when it mounts gets the height `guess` and is rendered once it is found to be
 * near.
 */
export function useHeightWhenFar(
  part: RefObject<HTMLElement | null>,
  log: RefObject<HTMLElement | null>,
  guess?: number,
): number | undefined {
  const [height, setHeight] = useState(guess);
  useEffect(() => {
    const place = part.current;
    if (!place) return;
    const near = new IntersectionObserver(
      (entries) => {
        // Several entries may be queued. Only the last one is current.
        const entry = entries.at(-1);
        if (!entry) return;
        const isFocused = place.contains(document.activeElement);
        setHeight(entry.isIntersecting || isFocused ? undefined : entry.boundingClientRect.height);
      },
      { root: log.current, rootMargin: DRAWN_MARGIN },
    );
    near.observe(place);
    return () => near.disconnect();
  }, [part, log]);
  return height;
}
