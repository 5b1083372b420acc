import { useQuery } from '@tanstack/react-query';
import { type DOMAttributes, type ReactNode, useMemo, useRef } from 'react';
import type { Point } from '../places/gazetteer.js';
import { type Dot, formatDot, gathered, type Spot } from './dots.js';
import { MapControls } from './map-controls.js';
import { computeExtent, fitted, isSeen, type MapView, RATIO, zoomed } from './map-view.js';
import { type CountryName, onGlobe, onSheet, rimPath } from './projection.js';
import { createDoubleClick, useDrag, usePinch, useWheelZoom } from './use-map-gestures.js';
import { useMapView } from './use-map-view.js';
import { useWidth } from './use-width.js';
import { nearWorldQuery, worldQuery } from './world.js';
import styles from './world-map.module.css';

/** Class and content that the link of a dot must use. */
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
  /** Renders the link that opens a spot. */
  spotLink?: (spot: Spot, look: DotLook) => ReactNode;
  /** Renders the link that zooms to a dot with several spots. */
  closerLink?: (view: MapView, look: DotLook) => ReactNode;
  /** Called with the pressed point. The caller must also offer a text field, for users who cannot press. */
  onPick?: (point: Point) => void;
  marked?: Point | undefined;
  /** Shows the centre of the map, which can be chosen. */
  isPicker?: boolean;
}

/** Minimum distance between dots in pixels, so that each can be hit. On a touch screen a dot is 44 pixels wide. */
const APART_PX = { mouse: 30, finger: 46 } as const;
/** From this zoom on the finer outlines are loaded. */
const NEAR_FROM = 4;
const LABEL_PX = 11;
const LETTER_PX = 6;
const NO_NAMES: readonly CountryName[] = [];
const rim = rimPath();

/**
 * The bundled outline of the world with dots. Buttons pan and zoom; dragging, two fingers, a double click and Ctrl with
 * the wheel do the same faster. Every visible dot is a link.
 */
export default function WorldMap(props: WorldMapProps) {
  const { label, spots, view: wanted, onView, spotLink, closerLink, onPick, marked, isPicker = false } = props;
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame, 960);
  const { view, move: moveTo, draw } = useMapView(wanted, onView);
  const extent = computeExtent(view, RATIO);
  const unitsPerPx = extent.width / width;

  const far = useQuery(worldQuery());
  const near = useQuery({ ...nearWorldQuery(), enabled: view.zoom >= NEAR_FROM });
  const land = (view.zoom >= NEAR_FROM ? near.data : undefined) ?? far.data?.land;

  const apart = APART_PX[window.matchMedia('(pointer: coarse)').matches ? 'finger' : 'mouse'] * unitsPerPx;
  const dots = useMemo(() => gathered(spots, apart), [spots, apart]);
  const inView = dots.filter((dot) => isSeen(view, RATIO, dot));
  const names = (far.data?.names ?? NO_NAMES).filter((name) => hasSpace(name, inView, view, unitsPerPx));

  const sheetPoint = (x: number, y: number) => findSheetPoint(frame.current, view, unitsPerPx, x, y);
  useWheelZoom(frame, (times, clientX, clientY) => moveTo(zoomed(view, RATIO, times, sheetPoint(clientX, clientY))));
  const drag = useDrag({ view, unitsPerPx, draw, moveTo }, (clientX, clientY) => {
    const point = onPick && onGlobe(sheetPoint(clientX, clientY));
    if (point) onPick(point);
  });
  const gestures = { ...drag, ...usePinch({ view, draw, moveTo }, sheetPoint) };
  const closer = createDoubleClick((times, x, y) => moveTo(zoomed(view, RATIO, times, sheetPoint(x, y))));

  return (
    <section aria-label={label} className={isPicker ? `${styles.map} ${styles.picker}` : styles.map}>
      <div ref={frame} className={styles.frame} style={{ aspectRatio: String(1 / RATIO) }}>
        <Sheet
          view={view}
          unitsPerPx={unitsPerPx}
          land={land}
          names={names}
          isPickable={onPick !== undefined}
          gestures={onPick ? gestures : { ...gestures, ...closer }}
        />
        {isPicker && <span className={styles.middle} aria-hidden="true" />}
        {marked && <span className={styles.marked} style={placeIn(view, onSheet(marked))} aria-hidden="true" />}
        {spots.length > 0 && (
          <ul className={styles.dots} aria-label={`${label}: in view`}>
            {inView.map((dot) => (
              <li key={dot.key} style={placeIn(view, dot)}>
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

/**
 * Returns whether a country's name is shown: the country is wide enough for it, it is completely visible, and no dot
 * covers it.
 */
function hasSpace(
  { name, x, y, width }: CountryName,
  dots: readonly Dot[],
  view: MapView,
  unitsPerPx: number,
): boolean {
  const extent = computeExtent(view, RATIO);
  const half = (name.length * LETTER_PX * unitsPerPx) / 2;
  const line = LABEL_PX * unitsPerPx;
  return (
    width > 2 * half &&
    Math.abs(x - view.x) + half < extent.width / 2 &&
    Math.abs(y - view.y) + line < extent.height / 2 &&
    !dots.some((dot) => Math.abs(dot.x - x) < half + line && Math.abs(dot.y - y) < 1.5 * line)
  );
}

/** Returns the point of the sheet under a place in the window. */
function findSheetPoint(frame: Element | null, view: MapView, unitsPerPx: number, clientX: number, clientY: number) {
  const extent = computeExtent(view, RATIO);
  const box = frame?.getBoundingClientRect();
  return {
    x: view.x - extent.width / 2 + (clientX - (box?.left ?? 0)) * unitsPerPx,
    y: view.y - extent.height / 2 + (clientY - (box?.top ?? 0)) * unitsPerPx,
  };
}

/** Returns the position of a point of the sheet in the frame. */
function placeIn(view: MapView, { x, y }: { x: number; y: number }) {
  const extent = computeExtent(view, RATIO);
  return {
    left: `${((x - view.x) / extent.width + 0.5) * 100}%`,
    top: `${((y - view.y) / extent.height + 0.5) * 100}%`,
  };
}

interface SheetProps {
  view: MapView;
  unitsPerPx: number;
  land: string | undefined;
  names: readonly CountryName[];
  isPickable: boolean;
  gestures: DOMAttributes<SVGSVGElement>;
}

/** The sea, the land and the names of the countries. */
function Sheet({ view, unitsPerPx, land, names, isPickable, gestures }: SheetProps) {
  const extent = computeExtent(view, RATIO);
  return (
    <svg
      className={isPickable ? `${styles.sheet} ${styles.pickable}` : styles.sheet}
      viewBox={`${view.x - extent.width / 2} ${view.y - extent.height / 2} ${extent.width} ${extent.height}`}
      aria-hidden="true"
      focusable="false"
      {...gestures}
    >
      <path className={styles.sea} d={rim} />
      <path className={styles.land} d={land} />
      {names.map(({ name, x, y }) => (
        <text key={name} className={styles.country} x={x} y={y} fontSize={LABEL_PX * unitsPerPx}>
          {name}
        </text>
      ))}
    </svg>
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
        <span className={styles.tip}>{formatDot(spots)}</span>
      </>
    ),
  });
}
