import type { MapPlace } from '../../contract/rooms.js';

/** What is at one place: its clusters, then its posts. */
export interface Spot {
  label: string;
  clusters: MapPlace[];
  posts: MapPlace[];
  /** Where it is drawn, for a place that is not a label only. */
  point: { lat: number; lon: number } | undefined;
}

/** The places by label, in the order in which they come first; the same label at two points makes two spots. */
export function spotsOf(places: readonly MapPlace[]): Spot[] {
  const spots = new Map<string, Spot>();
  for (const place of places) {
    const { label, lat, lon, kind } = place;
    const key = JSON.stringify([label, lat, lon]);
    const spot = spots.get(key) ?? {
      label,
      clusters: [],
      posts: [],
      point: lat === null || lon === null ? undefined : { lat, lon },
    };
    spots.set(key, spot);
    spot[kind === 'cluster' ? 'clusters' : 'posts'].push(place);
  }
  return [...spots.values()];
}
