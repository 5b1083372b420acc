import { type RefObject, useEffect, useState } from 'react';

/** How far outside of what is seen a part of a log is still drawn. */
const DRAWN_MARGIN = '1600px 0px';

/**
 * The height at which a part of `log` may be left empty while it is far from what is seen; undefined while it is to be drawn. `guess` is the height of one
 * that comes up where it is likely far: it is drawn only once it is found near.
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
        // Several may have gathered: only the last one says how it is now.
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
