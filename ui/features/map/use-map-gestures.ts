import { type MouseEvent, type PointerEvent, type RefObject, useEffect, useRef } from 'react';
import { clampView, type MapView, pinched, RATIO } from './map-view.js';

/** A press that moves less than this many pixels is a click. */
const CLICK_PX = 4;
const WHEEL_STEP = 1.25;

/** Calls `onZoom` with the factor and the place in the window when the wheel is turned with Ctrl or ⌘. */
export function useWheelZoom(
  frame: RefObject<HTMLElement | null>,
  onZoom: (times: number, clientX: number, clientY: number) => void,
): void {
  const wheeled = useRef<(event: WheelEvent) => void>(() => undefined);
  wheeled.current = (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    onZoom(event.deltaY < 0 ? WHEEL_STEP : 1 / WHEEL_STEP, event.clientX, event.clientY);
  };
  useEffect(() => {
    const element = frame.current;
    const told = (event: WheelEvent) => wheeled.current(event);
    // React's own wheel listener is passive and cannot prevent the page from zooming.
    element?.addEventListener('wheel', told, { passive: false });
    return () => element?.removeEventListener('wheel', told);
  }, [frame]);
}

/** Creates the handler of a double click, which calls `onZoom` as the wheel does: closer, or back with Shift. */
export const createDoubleClick = (onZoom: (times: number, clientX: number, clientY: number) => void) => ({
  onDoubleClick: ({ clientX, clientY, shiftKey }: MouseEvent<SVGSVGElement>) =>
    onZoom(shiftKey ? 0.5 : 2, clientX, clientY),
});

interface DraggedMap {
  view: MapView;
  unitsPerPx: number;
  /** Shows a view while the map is dragged. */
  draw: (view: MapView) => void;
  moveTo: (view: MapView) => void;
}

/** Returns the handlers with which the pointer drags the map. A press without a drag calls `onClick`. */
export function useDrag(
  { view, unitsPerPx, draw, moveTo }: DraggedMap,
  onClick: (clientX: number, clientY: number) => void,
) {
  const press = useRef<{ x: number; y: number; from: MapView; isDrag: boolean }>(undefined);
  return {
    onPointerDown: (event: PointerEvent<SVGSVGElement>) => {
      if (event.button !== 0) return;
      press.current = { x: event.clientX, y: event.clientY, from: view, isDrag: false };
      // A touch scrolls the page; a mouse drags the map.
      if (event.pointerType !== 'touch') event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove: (event: PointerEvent<SVGSVGElement>) => {
      const began = press.current;
      if (!began || event.pointerType === 'touch') return;
      const [dx, dy] = [event.clientX - began.x, event.clientY - began.y];
      began.isDrag ||= Math.hypot(dx, dy) > CLICK_PX;
      if (began.isDrag)
        draw(clampView({ ...began.from, x: began.from.x - dx * unitsPerPx, y: began.from.y - dy * unitsPerPx }, RATIO));
    },
    onPointerUp: (event: PointerEvent<SVGSVGElement>) => {
      const began = press.current;
      press.current = undefined;
      if (!began) return;
      if (began.isDrag) moveTo(view);
      else onClick(event.clientX, event.clientY);
    },
    onPointerCancel: () => {
      if (press.current) draw(press.current.from);
      press.current = undefined;
    },
  };
}

interface Pinch {
  from: MapView;
  /** What was drawn last. The rendered view may be one event behind. */
  to: MapView;
  /** Place and distance of the fingers at the beginning, in pixels of the window. */
  began: { x: number; y: number; apart: number };
  around: { x: number; y: number };
  /** Width of the frame in pixels. */
  width: number;
}

/**
 * Returns handlers of two fingers, which zoom around the point between them and move the map. One finger scrolls the
 * page. They are called before those of a drag, which must not see the events of a pinch.
 */
export function usePinch(
  { view, draw, moveTo }: Omit<DraggedMap, 'unitsPerPx'>,
  sheetPoint: (clientX: number, clientY: number) => { x: number; y: number },
) {
  const fingers = useRef(new Map<number, { x: number; y: number }>());
  const pinch = useRef<Pinch>(undefined);
  const end = (event: PointerEvent<SVGSVGElement>) => {
    fingers.current.delete(event.pointerId);
    if (!pinch.current) return;
    moveTo(pinch.current.to);
    pinch.current = undefined;
    event.stopPropagation();
  };
  return {
    onPointerDownCapture: (event: PointerEvent<SVGSVGElement>) => {
      if (event.pointerType !== 'touch') return;
      fingers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
      const began = spread(fingers.current);
      if (!began) return;
      pinch.current = {
        from: view,
        to: view,
        began,
        around: sheetPoint(began.x, began.y),
        width: event.currentTarget.clientWidth,
      };
    },
    onPointerMoveCapture: (event: PointerEvent<SVGSVGElement>) => {
      if (!fingers.current.has(event.pointerId)) return;
      fingers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
      const now = spread(fingers.current);
      if (!pinch.current || !now) return;
      const { from, began, around, width } = pinch.current;
      const [east, south] = [(now.x - began.x) / width, (now.y - began.y) / width];
      pinch.current.to = pinched(from, RATIO, { times: now.apart / began.apart, around, east, south });
      draw(pinch.current.to);
      event.stopPropagation();
    },
    onPointerUpCapture: end,
    onPointerCancelCapture: end,
  };
}

/** The point between two fingers and their distance; undefined for any other number of fingers. */
function spread(fingers: ReadonlyMap<number, { x: number; y: number }>): Pinch['began'] | undefined {
  const [a, b, ...more] = fingers.values();
  if (!a || !b || more.length > 0) return undefined;
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, apart: Math.max(1, Math.hypot(a.x - b.x, a.y - b.y)) };
}
