/** A point on the globe in degrees: latitude -90 to 90, longitude -180 to 180. */
export interface Point {
  lat: number;
  lon: number;
}

/** Degrees of latitude and longitude. A box never crosses the antimeridian. */
export interface Box {
  south: number;
  north: number;
  west: number;
  east: number;
}

/** The mean radius of the Earth. */
const EARTH_RADIUS_KM = 6371.0088;
/**
 * Boxes exceed their circle by this margin (about a centimetre), so that rounding never excludes a point on the edge.
 */
const MARGIN_DEGREES = 1e-7;

const radians = (degrees: number) => (degrees * Math.PI) / 180;
const degrees = (angle: number) => (angle * 180) / Math.PI;

/** Great-circle distance in kilometres (haversine); correct across the antimeridian and at the poles. */
export function distanceKm(a: Point, b: Point): number {
  const sinLat = Math.sin(radians(b.lat - a.lat) / 2);
  const sinLon = Math.sin(radians(b.lon - a.lon) / 2);
  const h = sinLat * sinLat + Math.cos(radians(a.lat)) * Math.cos(radians(b.lat)) * sinLon * sinLon;
  // Rounding can raise the haversine of antipodes above 1.
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(h)));
}

/**
 * Boxes that contain every point within `km` of `centre`, and some others: one box, or two where the circle crosses the
 * antimeridian. A circle that contains a pole covers every longitude.
 */
export function boxesAround(centre: Point, km: number): Box[] {
  const angle = km / EARTH_RADIUS_KM;
  const tall = degrees(angle) + MARGIN_DEGREES;
  const south = Math.max(-90, centre.lat - tall);
  const north = Math.min(90, centre.lat + tall);
  if (south === -90 || north === 90) return [{ south, north, west: -180, east: 180 }];
  // The circle is widest where meridians touch it, not at the latitude of its centre.
  const wide = degrees(Math.asin(Math.min(1, Math.sin(angle) / Math.cos(radians(centre.lat))))) + MARGIN_DEGREES;
  const west = centre.lon - wide;
  const east = centre.lon + wide;
  if (west < -180) {
    return [
      { south, north, west: -180, east },
      { south, north, west: west + 360, east: 180 },
    ];
  }
  if (east > 180) {
    return [
      { south, north, west, east: 180 },
      { south, north, west: -180, east: east - 360 },
    ];
  }
  return [{ south, north, west, east }];
}
