import type { Where } from '../../contract/clusters.js';
import { MAP_PLACES_MAX, type MapData, type MapPlace } from '../../contract/saved-clusters.js';
import type { Clock } from '../../lib/time/clock.js';
import type { PublicBoards } from '../boards/public-boards.js';
import type { Clusters } from '../clusters/clusters.js';

interface PublicMapParts {
  clusters: Pick<Clusters, 'listPlaced'>;
  boards: Pick<PublicBoards, 'listLocated'>;
  clock: Clock;
  /** A number that changes whenever any data in the store has changed. */
  changes: () => number;
}

/** Rounds a coordinate to one decimal, about eleven kilometres. More precise ones are never published. */
const rounded = (degrees: number) => Math.round(degrees * 10) / 10;

function getSpot(where: Exclude<Where, 'none'>): Pick<MapPlace, 'label' | 'lat' | 'lon'> {
  return 'lat' in where
    ? { label: where.label, lat: rounded(where.lat), lon: rounded(where.lon) }
    : { label: where.label, lat: null, lon: null };
}

/**
 * The locations of public clusters and their located posts. Private clusters are never included. The data is computed
 * once per state of the store and cached. Spec: What the service does, 2; Props.
 */
export class PublicMap {
  private drawn: { data: MapData; changes: number; atSeconds: number; untilSeconds: number } | undefined;

  constructor(private readonly parts: PublicMapParts) {}

  /**
   * Returns at most 2,000 places, the newest of each kind first: clusters fill at most half of them, posts the rest.
   */
  data(): MapData {
    const { changes, clock } = this.parts;
    const state = changes();
    const now = Math.floor(clock.now() / 1000);
    const isCurrent = this.drawn?.changes === state && this.drawn.atSeconds <= now && now < this.drawn.untilSeconds;
    if (!this.drawn || !isCurrent) this.drawn = { ...this.draw(), changes: state, atSeconds: now };
    return this.drawn.data;
  }

  private draw(): { data: MapData; untilSeconds: number } {
    const { clusters, boards } = this.parts;
    const placed = clusters.listPlaced(MAP_PLACES_MAX / 2);
    const located = boards.listLocated(MAP_PLACES_MAX - placed.clusters.length);
    const places = [
      ...placed.clusters.map(
        ({ id, slug, name, where }): MapPlace => ({
          kind: 'cluster',
          cluster_id: id,
          slug,
          cluster: name,
          ...getSpot(where),
        }),
      ),
      ...located.posts.map(
        ({ id, title, board, cluster, where }): MapPlace => ({
          kind: 'post',
          cluster_id: cluster.id,
          slug: cluster.slug,
          cluster: cluster.name,
          post: id,
          board,
          title,
          ...getSpot(where),
        }),
      ),
    ];
    const data = { places, count: places.length, truncated: placed.isTruncated || located.isTruncated };
    return { data, untilSeconds: located.expiresAt ?? Number.POSITIVE_INFINITY };
  }
}
