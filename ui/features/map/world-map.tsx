import { useQuery } from '@tanstack/react-query';
import { type PointerEvent, type ReactNode, useEffect, useMemo, useRef } from 'react';
import type { Point } from '../places/gazetteer.js';
import { type Dot, dotWords, gathered, type Spot } from './dots.js';
import { MapControls } from './map-controls.js';
import { extentOf, fitted, isSeen, kept, type MapView, RATIO, zoomed } from './map-view.js';
import { type CountryName, onGlobe, onSheet, rimPath } from './projection.js';
import { useMapView } from './use-map-view.js';
import { useWidth } from './use-width.js';
import { nearWorldQuery, worldQuery } from './world.js';
import styles from './world-map.module.css';

/** How a dot's link is drawn: what it is given to wrap. */
export interface DotLook {
  className: string;
  children: ReactNode;
}

interface WorldMapProps {
  /** What the map shows: `Posts on the map`. */
  label: string;
  spots: readonly Spot[];
  view: MapView;
  onView: (view: MapView) => void;
  /** The link that opens a spot. */
  spotLink?: (spot: Spot, look: DotLook) => ReactNode;
  /** The link that shows so much of the map: of a dot that holds several spots. */
  closerLink?: (view: MapView, look: DotLook) => ReactNode;
  /** Takes the point that was pressed. Whoever cannot press has a field to type a place into. */
  onPick?: (point: Point) => void;
  marked?: Point | undefined;
  /** Shows where its middle is, for those who take that. */
  isPicker?: boolean;
}

/** Dots nearer to one another than this are one, so that each can be hit: by a mouse, and by a finger, to which each is 44 pixels wide. */
const APART_PX = { mouse: 30, finger: 46 } as const;
/** From here on the finer outlines are worth fetching. */
const NEAR_FROM = 4;
/** A press that moves less than this is a click. */
const CLICK_PX = 4;
const WHEEL_STEP = 1.25;
const LABEL_PX = 11;
const LETTER_PX = 6;
const NO_NAMES: readonly CountryName[] = [];
const rim = rimPath();

/**
 * The bundled outline of the world with dots on it. Pan and zoom are buttons; dragging and Ctrl with the wheel only do the same faster. Every dot is a link,
 * and what is not in view has none.
 */
export default function WorldMap({
  label,
  spots,
  view: wanted,
  onView,
  spotLink,
  closerLink,
  onPick,
  marked,
  isPicker = false,
}: WorldMapProps) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame, 960);
  const { view, move: moveTo, draw } = useMapView(wanted, onView);
  const extent = extentOf(view, RATIO);
  const unitsPerPx = extent.width / width;

  const far = useQuery(worldQuery());
  const near = useQuery({ ...nearWorldQuery(), enabled: view.zoom >= NEAR_FROM });
  const land = (view.zoom >= NEAR_FROM ? near.data : undefined) ?? far.data?.land;

  const apart = APART_PX[window.matchMedia('(pointer: coarse)').matches ? 'finger' : 'mouse'] * unitsPerPx;
  const dots = useMemo(() => gathered(spots, apart), [spots, apart]);
  const inView = dots.filter((dot) => isSeen(view, RATIO, dot));
  // A name is written where its country is wide enough for it, whole, and where no dot would lie on it.
  const names = (far.data?.names ?? NO_NAMES).filter(({ name, x, y, width: units }) => {
    const half = (name.length * LETTER_PX * unitsPerPx) / 2;
    const line = LABEL_PX * unitsPerPx;
    return (
      units > 2 * half &&
      Math.abs(x - view.x) + half < extent.width / 2 &&
      Math.abs(y - view.y) + line < extent.height / 2 &&
      !inView.some((dot) => Math.abs(dot.x - x) < half + line && Math.abs(dot.y - y) < 1.5 * line)
    );
  });

  const sheetPoint = (clientX: number, clientY: number) => {
    const box = frame.current?.getBoundingClientRect();
    return {
      x: view.x - extent.width / 2 + (clientX - (box?.left ?? 0)) * unitsPerPx,
      y: view.y - extent.height / 2 + (clientY - (box?.top ?? 0)) * unitsPerPx,
    };
  };

  const wheeled = useRef<(event: WheelEvent) => void>(() => undefined);
  wheeled.current = (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    moveTo(
      zoomed(view, RATIO, event.deltaY < 0 ? WHEEL_STEP : 1 / WHEEL_STEP, sheetPoint(event.clientX, event.clientY)),
    );
  };
  useEffect(() => {
    const element = frame.current;
    const told = (event: WheelEvent) => wheeled.current(event);
    // React's own listener is passive: it could not keep the page from zooming.
    element?.addEventListener('wheel', told, { passive: false });
    return () => element?.removeEventListener('wheel', told);
  }, []);

  const press = useRef<{ x: number; y: number; from: MapView; isDrag: boolean }>(undefined);
  const down = (event: PointerEvent<SVGSVGElement>) => {
    if (event.button !== 0) return;
    press.current = { x: event.clientX, y: event.clientY, from: view, isDrag: false };
    // A finger scrolls the page; a mouse moves the map.
    if (event.pointerType !== 'touch') event.currentTarget.setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent<SVGSVGElement>) => {
    const began = press.current;
    if (!began || event.pointerType === 'touch') return;
    const [dx, dy] = [event.clientX - began.x, event.clientY - began.y];
    began.isDrag ||= Math.hypot(dx, dy) > CLICK_PX;
    if (began.isDrag)
      draw(kept({ ...began.from, x: began.from.x - dx * unitsPerPx, y: began.from.y - dy * unitsPerPx }, RATIO));
  };
  const up = (event: PointerEvent<SVGSVGElement>) => {
    const began = press.current;
    press.current = undefined;
    if (!began) return;
    if (began.isDrag) {
      moveTo(view);
      return;
    }
    const point = onPick && onGlobe(sheetPoint(event.clientX, event.clientY));
    if (point) onPick(point);
  };
  const cancel = () => {
    if (press.current) draw(press.current.from);
    press.current = undefined;
  };

  const place = ({ x, y }: { x: number; y: number }) => ({
    left: `${((x - view.x) / extent.width + 0.5) * 100}%`,
    top: `${((y - view.y) / extent.height + 0.5) * 100}%`,
  });
  return (
    <section aria-label={label} className={isPicker ? `${styles.map} ${styles.picker}` : styles.map}>
      <div ref={frame} className={styles.frame} style={{ aspectRatio: String(1 / RATIO) }}>
        <svg
          className={onPick ? `${styles.sheet} ${styles.pickable}` : styles.sheet}
          viewBox={`${view.x - extent.width / 2} ${view.y - extent.height / 2} ${extent.width} ${extent.height}`}
          aria-hidden="true"
          focusable="false"
          onPointerDown={down}
          onPointerMove={move}
          onPointerUp={up}
          onPointerCancel={cancel}
        >
          <path className={styles.sea} d={rim} />
          <path className={styles.land} d={land} />
          {names.map(({ name, x, y }) => (
            <text key={name} className={styles.country} x={x} y={y} fontSize={LABEL_PX * unitsPerPx}>
              {name}
            </text>
          ))}
        </svg>
        {isPicker && <span className={styles.middle} aria-hidden="true" />}
        {marked && <span className={styles.marked} style={place(onSheet(marked))} aria-hidden="true" />}
        {spots.length > 0 && (
          <ul className={styles.dots} aria-label={`${label}: in view`}>
            {inView.map((dot) => (
              <li key={dot.key} style={place(dot)}>
                <DotLink dot={dot} spotLink={spotLink} closerLink={closerLink} />
              </li>
            ))}
          </ul>
        )}
        {far.error && (
          <p className={styles.failed}>The outlines could not be loaded. Places are listed beside the map.</p>
        )}
      </div>
      <MapControls view={view} onView={moveTo} />
    </section>
  );
}

function DotLink({
  dot: { spots },
  spotLink,
  closerLink,
}: { dot: Dot } & Pick<WorldMapProps, 'spotLink' | 'closerLink'>): ReactNode {
  const [first] = spots;
  if (!first) return null;
  if (spots.length === 1)
    return spotLink?.(first, {
      className: `${styles.dot} ${styles[first.kind]}`,
      children: (
        <>
          <span className={styles.mark} aria-hidden="true" />
          <span className={styles.tip}>
            {first.name} <span className="quiet">{first.label}</span>
          </span>
        </>
      ),
    });
  return closerLink?.(fitted(spots, RATIO), {
    className: `${styles.dot} ${styles.several}`,
    children: (
      <>
        <span className={styles.count} aria-hidden="true">
          {spots.length > 999 ? '999+' : spots.length}
        </span>
        <span className={styles.tip}>{dotWords(spots)}</span>
      </>
    ),
  });
}
