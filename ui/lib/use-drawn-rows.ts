import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { drawnRows, type Span, seenRows } from './drawn-rows.js';

/** How high a row is taken to be before one was drawn. */
const ROW_PX = 58;

interface DrawnRows {
  drawn: Span;
  rowPx: number;
}

/**
 * Which of the `count` rows of `list` to draw while the page is scrolled: those near what is seen. Rows are of one height, which is measured; they are
 * the children of `list` that have `data-at`.
 */
export function useDrawnRows(list: RefObject<HTMLElement | null>, count: number): DrawnRows {
  const [state, setState] = useState<DrawnRows>(() => ({
    drawn: drawnRows(0, window.innerHeight, ROW_PX, count),
    rowPx: ROW_PX,
  }));
  const last = useRef(state);
  last.current = state;
  useLayoutEffect(() => {
    const look = (isScroll: boolean) => {
      const place = list.current;
      if (!place) return;
      const row = place.querySelector<HTMLElement>(':scope > [data-at]');
      // All measures are taken before anything is drawn: one layout a frame.
      const rowPx = row?.getBoundingClientRect().height || last.current.rowPx;
      const { top } = place.getBoundingClientRect();
      const height = window.innerHeight;
      const drawn = drawnRows(top, height, rowPx, count);
      const was = last.current;
      if (drawn.from === was.drawn.from && drawn.to === was.drawn.to && rowPx === was.rowPx) return;
      const seen = seenRows(top, height, rowPx, count);
      const draw = () => setState({ drawn, rowPx });
      // Where nothing is drawn yet it is drawn with this very frame: a far leap shows no blank.
      if (isScroll && (seen.from < was.drawn.from || seen.to > was.drawn.to)) flushSync(draw);
      else draw();
    };
    const scrolled = () => look(true);
    const changed = () => look(false);
    look(false);
    window.addEventListener('scroll', scrolled, { passive: true });
    window.addEventListener('resize', changed);
    return () => {
      window.removeEventListener('scroll', scrolled);
      window.removeEventListener('resize', changed);
    };
  }, [list, count]);
  return state;
}
