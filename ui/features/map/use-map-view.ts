import { useCallback, useEffect, useRef, useState } from 'react';
import { kept, type MapView, RATIO, viewText } from './map-view.js';

const textOf = (view: MapView) => viewText(view) ?? '';

/**
 * The view that is drawn. It moves at once, and what it moved to is told on, to an address for one; that comes back a moment later, when the view may have
 * moved on already: only a view that was not told from here is taken over.
 */
export function useMapView(wanted: MapView, onView: (view: MapView) => void) {
  const [view, setView] = useState(() => kept(wanted, RATIO));
  const told = useRef<string[]>([]);
  const text = textOf(wanted);
  const latest = useRef(wanted);
  latest.current = wanted;
  useEffect(() => {
    const at = told.current.indexOf(text);
    if (at !== -1) told.current.splice(0, at + 1);
    else {
      told.current = [];
      setView(kept(latest.current, RATIO));
    }
  }, [text]);
  const move = useCallback(
    (next: MapView) => {
      setView(next);
      told.current.push(textOf(next));
      onView(next);
    },
    [onView],
  );
  /** `draw` shows a view that is not to be told yet: while it is being dragged. */
  return { view, move, draw: setView };
}
