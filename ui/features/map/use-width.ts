import { type RefObject, useLayoutEffect, useState } from 'react';

/** Returns the rendered width of an element in pixels; `first` until it is measured. */
export function useWidth(ref: RefObject<Element | null>, first: number): number {
  const [width, setWidth] = useState(first);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const measure = () => setWidth(Math.round(element.getBoundingClientRect().width) || first);
    const watch = new ResizeObserver(measure);
    watch.observe(element);
    measure();
    return () => watch.disconnect();
  }, [ref, first]);
  return width;
}
