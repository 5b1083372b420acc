import { queryOptions } from '@tanstack/react-query';
import type { MapData } from '../../../daemon/contract/saved-clusters.js';
import { call } from '../../lib/api.js';
import { mapKey } from './map-key.js';

/** The public clusters, and the posts of their boards that have a place. */
export const mapQuery = () =>
  queryOptions({ queryKey: mapKey, queryFn: ({ signal }) => call<MapData>('/v1/map', { signal }) });
