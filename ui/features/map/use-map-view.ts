import { useCallback, useEffect, useRef, useState } from 'react';
import { clampView, type MapView, RATIO, viewText } from './map-view.js';

const toText = (view: MapView) => viewText(view) ?? '';

/**
 * Keeps the rendered view. It changes at once and is reported to `onView`, which for example stores it in the query.
 * `wanted` follows later, when the view may have moved on, so only a `wanted` that was not reported from here is
 * applied.
 */
export function useMapView(wanted: MapView, onView: (view: MapView) => void) {
  const [view, setView] = useState(() => clampView(wanted, RATIO));
  const told = useRef<string[]>([]);
  const text = toText(wanted);
  const latest = useRef(wanted);
  latest.current = wanted;
  useEffect(() => {
    const at = told.current.indexOf(text);
    if (at !== -1) told.current.splice(0, at + 1);
    else {
      told.current = [];
      setView(clampView(latest.current, RATIO));
    }
  }, [text]);
  const move = useCallback(
    (next: MapView) => {
      setView(next);
      told.current.push(toText(next));
      onView(next);
    },
    [onView],
  );
  /** `draw` shows a view without reporting it, while it is being dragged. */
  return { view, move, draw: setView };
}
