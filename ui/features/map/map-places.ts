import type { MapPlace } from '../../../daemon/contract/saved-clusters.js';
import { folded } from '../places/fold.js';
import type { Spot } from './dots.js';
import type { MapSearch } from './map-search.js';
import { onSheet } from './projection.js';

/** A place of the map with its position on the sheet. A place that is only words has no position. */
export interface MapEntry {
  key: string;
  name: string;
  place: MapPlace;
  spot: Spot | undefined;
}

export const getPlaceName = ({ kind, title, cluster }: MapPlace): string =>
  kind === 'post' ? title || 'Untitled post' : cluster;

export function findEntry(place: MapPlace): MapEntry {
  const { kind, cluster_id, post, label, lat, lon } = place;
  const key = post ?? cluster_id;
  const name = getPlaceName(place);
  return {
    key,
    name,
    place,
    spot: lat === null || lon === null ? undefined : { key, name, label, kind, ...onSheet({ lat, lon }) },
  };
}

/** Reports whether a place matches the filter: every word must occur in its names, board or label, ignoring accents. */
export function fits({ q, kind }: MapSearch, place: MapPlace): boolean {
  if (kind !== undefined && kind !== place.kind) return false;
  const hay = folded([place.title, place.cluster, place.slug, place.board, place.label].filter(Boolean).join(' '));
  return folded(q ?? '')
    .split(' ')
    .every((word) => hay.includes(word));
}
