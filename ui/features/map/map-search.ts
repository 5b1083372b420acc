import type { MapPlace } from '../../../daemon/contract/saved-clusters.js';

/** The query parameters of the map. */
export interface MapSearch {
  q?: string | undefined;
  kind?: MapPlace['kind'] | undefined;
  /** The view of the map. */
  at?: string | undefined;
}

const text = (value: unknown): string | undefined => {
  const words = typeof value === 'number' ? String(value) : value;
  return typeof words === 'string' && words.trim() !== '' ? words : undefined;
};

export function readMapSearch(search: Record<string, unknown>): MapSearch {
  const kind = search['kind'];
  return {
    q: text(search['q']),
    kind: kind === 'cluster' || kind === 'post' ? kind : undefined,
    at: text(search['at']),
  };
}
