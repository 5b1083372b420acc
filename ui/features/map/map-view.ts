/** Size of the sheet on which the world is drawn (Equal Earth projection), in units. */
export const SHEET = { width: 960, height: 467 } as const;

/** The visible part of the sheet: its centre, and the magnification relative to the whole sheet. */
export interface MapView {
  zoom: number;
  x: number;
  y: number;
}

/** Size of the visible part, in units of the sheet. */
interface Extent {
  width: number;
  height: number;
}

/**
 * The closest zoom, which shows the surroundings of a city. Places are known to a tenth of a degree, so a closer view
 * shows nothing more.
 */
export const ZOOM_MAX = 64;
/** Height of the frame divided by its width. */
export const RATIO = 0.6;
export const WHOLE_WORLD: MapView = { zoom: 1, x: SHEET.width / 2, y: SHEET.height / 2 };
const between = (value: number, least: number, most: number) =>
  least > most ? (least + most) / 2 : Math.min(most, Math.max(least, value));

/** Returns the size of the part visible in a frame of `ratio` (height divided by width). */
export const computeExtent = ({ zoom }: MapView, ratio: number): Extent => ({
  width: SHEET.width / zoom,
  height: (SHEET.width * ratio) / zoom,
});

/** Limits a view to the sheet and to the allowed zoom. */
export function clampView(view: MapView, ratio: number): MapView {
  const zoom = between(view.zoom, 1, ZOOM_MAX);
  const { width, height } = computeExtent({ ...view, zoom }, ratio);
  return {
    zoom,
    x: between(view.x, width / 2, SHEET.width - width / 2),
    y: between(view.y, height / 2, SHEET.height - height / 2),
  };
}

/** Moves the view by `east` and `south` frames. */
export function panned(view: MapView, ratio: number, east: number, south: number): MapView {
  const { width, height } = computeExtent(view, ratio);
  return clampView({ ...view, x: view.x + east * width, y: view.y + south * height }, ratio);
}

/** Zooms the view by the factor `times`. The point `around` of the sheet stays in place. */
export function zoomed(view: MapView, ratio: number, times: number, around: { x: number; y: number } = view): MapView {
  const zoom = between(view.zoom * times, 1, ZOOM_MAX);
  const rest = view.zoom / zoom;
  return clampView({ zoom, x: around.x + (view.x - around.x) * rest, y: around.y + (view.y - around.y) * rest }, ratio);
}

/**
 * Zooms by `times` around a point of the sheet, and moves the map with the fingers by a part of the frame's width:
 * `east` and `south` are how far they moved.
 */
export function pinched(
  view: MapView,
  ratio: number,
  { times, around, east, south }: { times: number; around: { x: number; y: number }; east: number; south: number },
): MapView {
  const next = zoomed(view, ratio, times, around);
  const { width } = computeExtent(next, ratio);
  return clampView({ ...next, x: next.x - east * width, y: next.y - south * width }, ratio);
}

/** Factor by which a fitted view is larger than what it fits. */
const MARGIN = 1.5;

/** Returns the closest view that contains all `points`, at most `closest`; the whole world for none. */
export function fitted(points: readonly { x: number; y: number }[], ratio: number, closest = ZOOM_MAX): MapView {
  if (points.length === 0) return WHOLE_WORLD;
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const [west, east, north, south] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const zoom = Math.min(
    SHEET.width / ((east - west) * MARGIN),
    (SHEET.width * ratio) / ((south - north) * MARGIN),
    closest,
  );
  return clampView({ zoom, x: (west + east) / 2, y: (north + south) / 2 }, ratio);
}

export const isSeen = (view: MapView, ratio: number, { x, y }: { x: number; y: number }): boolean => {
  const { width, height } = computeExtent(view, ratio);
  return Math.abs(x - view.x) <= width / 2 && Math.abs(y - view.y) <= height / 2;
};

export const isWholeWorld = ({ zoom }: MapView): boolean => zoom === 1;

/** Formats a view for the query: zoom and centre, `8_470.5_120.25`; undefined for the whole world. */
export function viewText(view: MapView): string | undefined {
  if (isWholeWorld(view)) return undefined;
  return [view.zoom, view.x, view.y].map((value) => String(Number(value.toFixed(2)))).join('_');
}

/** Parses a view from the query; the whole world when it is absent or invalid. */
export function readView(text: string | undefined): MapView {
  const [zoom = Number.NaN, x = Number.NaN, y = Number.NaN, ...rest] = (text ?? '').split('_').map(Number);
  const isView = [zoom, x, y].every(Number.isFinite) && rest.length === 0 && zoom >= 1;
  return isView
    ? { zoom: Math.min(zoom, ZOOM_MAX), x: between(x, 0, SHEET.width), y: between(y, 0, SHEET.height) }
    : WHOLE_WORLD;
}
