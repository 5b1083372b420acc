import { describe, expect, it } from 'vitest';
import type { MapPlace } from '../../../daemon/contract/saved-clusters.js';
import { findEntry, fits } from './map-places.js';
import { readMapSearch } from './map-search.js';

const post: MapPlace = {
  kind: 'post',
  cluster_id: 'c_1',
  slug: 'iberia',
  cluster: 'Iberian Exchange',
  post: 'p_1',
  board: 'flea',
  title: 'Bicicleta plegable',
  label: 'Córdoba, Spain',
  lat: 37.9,
  lon: -4.8,
};
const savedCluster: MapPlace = {
  kind: 'cluster',
  cluster_id: 'c_1',
  slug: 'iberia',
  cluster: 'Iberian Exchange',
  label: 'online',
  lat: null,
  lon: null,
};

describe('places of the map', () => {
  it('have a position only when they have a point', () => {
    expect(findEntry(post).spot).toMatchObject({ key: 'p_1', name: 'Bicicleta plegable', label: 'Córdoba, Spain' });
    expect(findEntry(savedCluster)).toMatchObject({ key: 'c_1', name: 'Iberian Exchange', spot: undefined });
  });

  it.each([
    [{}, true, true],
    [{ q: 'cordoba' }, true, false],
    [{ q: 'BICI exchange' }, true, false],
    [{ q: 'iberia' }, true, true],
    [{ q: 'flea' }, true, false],
    [{ q: 'nothing' }, false, false],
    [{ kind: 'post' as const }, true, false],
    [{ kind: 'cluster' as const, q: 'online' }, false, true],
  ])('match %j', (search, isPost, isRoom) => {
    expect(fits(search, post)).toBe(isPost);
    expect(fits(search, savedCluster)).toBe(isRoom);
  });

  it('are filtered by the query parameters', () => {
    expect(readMapSearch({ q: 12, kind: 'post', at: '8_1_1' })).toEqual({ q: '12', kind: 'post', at: '8_1_1' });
    expect(readMapSearch({ q: ' ', kind: 'x', at: {} })).toEqual({ q: undefined, kind: undefined, at: undefined });
  });
});
