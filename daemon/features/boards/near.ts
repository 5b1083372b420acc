import { NEAR_KM_DEFAULT } from '../../contract/boards.js';
import type { Point } from '../../lib/agents/geo.js';
import { MeshError } from '../../lib/errors.js';

/** The circle described by `near` and `km`. */
export interface Circle {
  centre: Point;
  km: number;
}

const DEGREES = /^-?\d{1,3}(?:\.\d{1,20})?$/;

/**
 * Parses `near=<lat>,<lon>` and `km`. Undefined without `near`. Throws `bad_request` unless `near` is two plain decimal
 * numbers in range, and for `km` without `near`.
 */
export function parseNear(near: string | undefined, km: number | undefined): Circle | undefined {
  if (near === undefined) {
    if (km === undefined) return undefined;
    throw new MeshError('bad_request', '"km" is the radius around "near": send both, or neither.', {
      details: { path: 'km' },
    });
  }
  const parts = near.split(',');
  const [lat = Number.NaN, lon = Number.NaN] = parts.map((part) => (DEGREES.test(part) ? Number(part) : Number.NaN));
  if (parts.length !== 2 || !(Math.abs(lat) <= 90) || !(Math.abs(lon) <= 180)) {
    throw new MeshError(
      'bad_request',
      '"near" must be <lat>,<lon> in decimal degrees, such as 52.52,13.405: latitude -90 to 90, longitude -180 to 180.',
      { details: { path: 'near' } },
    );
  }
  return { centre: { lat, lon }, km: km ?? NEAR_KM_DEFAULT };
}
