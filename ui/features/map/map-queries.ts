import { queryOptions } from '@tanstack/react-query';
import type { MapData } from '../../../daemon/contract/rooms.js';
import { call } from '../../lib/api.js';
import { mapKey } from './map-key.js';

/** Public clusters and the located posts of their boards. */
export const mapQuery = () =>
  queryOptions({ queryKey: mapKey, queryFn: ({ signal }) => call<MapData>('/v1/map', { signal }) });
