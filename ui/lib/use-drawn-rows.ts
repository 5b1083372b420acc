import { type FocusEvent, type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { drawnRows, type Span, seenRows, splitParts } from './drawn-rows.js';

/** Row height in pixels that is assumed until a row is rendered. */
const ROW_PX = 58;

interface DrawnRows {
  drawn: Span;
  rowPx: number;
}

/**
 * Returns which of the `count` rows of `list` to render while the page is scrolled: those near the viewport. All rows
 * have the same height, which is measured. Rows are the children of `list` that have `data-at`.
 */
function useDrawnRows(list: RefObject<HTMLElement | null>, count: number): DrawnRows {
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
      // Measures everything before rendering: one layout per frame.
      const rowPx = row?.getBoundingClientRect().height || last.current.rowPx;
      const { top } = place.getBoundingClientRect();
      const height = window.innerHeight;
      const drawn = drawnRows(top, height, rowPx, count);
      const was = last.current;
      if (drawn.from === was.drawn.from && drawn.to === was.drawn.to && rowPx === was.rowPx) return;
      const seen = seenRows(top, height, rowPx, count);
      const draw = () => setState({ drawn, rowPx });
      // Rows that become visible are rendered synchronously in this frame, so that a long jump shows no blank area.
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

/**
 * Returns what to render of the rows with these `ids` in `list`, as `useDrawnRows` does, and the handlers that `list`
 * needs: the focused row stays rendered, however far it is scrolled away. `hold` names it before it has the focus.
 */
export function useDrawnParts(list: RefObject<HTMLElement | null>, ids: readonly string[]) {
  const { drawn, rowPx } = useDrawnRows(list, ids.length);
  const [held, setHeld] = useState<string>();
  const heldAt = useMemo(() => (held === undefined ? undefined : ids.indexOf(held)), [ids, held]);
  return {
    parts: splitParts(ids.length, drawn, heldAt),
    drawn,
    rowPx,
    hold: setHeld,
    handlers: {
      onFocus: ({ target }: FocusEvent<HTMLElement>) =>
        setHeld(ids[Number(target.closest<HTMLElement>('[data-at]')?.dataset['at'])]),
      onBlur: () => setHeld(undefined),
    },
  };
}
