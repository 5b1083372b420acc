import { type RefObject, useEffect, useState } from 'react';

/** How far outside the view a file is loaded. */
const LOAD_MARGIN = '1200px 0px';

/** Returns whether the element has been near the view. */
export function useNear(place: RefObject<HTMLElement | null>): boolean {
  const [isNear, setIsNear] = useState(false);
  useEffect(() => {
    const element = place.current;
    if (!element || isNear) return;
    const near = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setIsNear(true);
      },
      { rootMargin: LOAD_MARGIN },
    );
    near.observe(element);
    return () => near.disconnect();
  }, [place, isNear]);
  return isNear;
}
