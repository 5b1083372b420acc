import type { MapPlace } from '../../contract/saved-clusters.js';

/** The clusters and posts at one place. */
export interface Spot {
  label: string;
  clusters: MapPlace[];
  posts: MapPlace[];
  /** The position of its dot. Undefined for a place that is a label only. */
  point: { lat: number; lon: number } | undefined;
}

/**
 * Groups places by label and coordinates, in order of first appearance. The same label at two points makes two spots.
 */
export function groupSpots(places: readonly MapPlace[]): Spot[] {
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
