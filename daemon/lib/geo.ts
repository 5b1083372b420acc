/** A point on the globe, in degrees: latitude -90 to 90, longitude -180 to 180. */
export interface Point {
  lat: number;
  lon: number;
}

/** Degrees of latitude and longitude; a box never crosses the antimeridian. */
export interface Box {
  south: number;
  north: number;
  west: number;
  east: number;
}

/** Mean radius of the Earth. */
const EARTH_RADIUS_KM = 6371.0088;
/** Boxes are this much wider than the circle that they hold, so that rounding never loses a point on its rim: about a centimetre. */
const MARGIN_DEGREES = 1e-7;

const radians = (degrees: number) => (degrees * Math.PI) / 180;
const degrees = (angle: number) => (angle * 180) / Math.PI;

/** Great-circle distance (haversine): right across the antimeridian and at the poles. */
export function distanceKm(a: Point, b: Point): number {
  const sinLat = Math.sin(radians(b.lat - a.lat) / 2);
  const sinLon = Math.sin(radians(b.lon - a.lon) / 2);
  const h = sinLat * sinLat + Math.cos(radians(a.lat)) * Math.cos(radians(b.lat)) * sinLon * sinLon;
  // Rounding can take the haversine of antipodes above 1.
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(h)));
}

/**
 * Boxes that hold every point within `km` of `centre`, and more: one, or two where the circle crosses the antimeridian. A circle with a pole in it
 * takes in every longitude.
 */
export function boxesAround(centre: Point, km: number): Box[] {
  const angle = km / EARTH_RADIUS_KM;
  const tall = degrees(angle) + MARGIN_DEGREES;
  const south = Math.max(-90, centre.lat - tall);
  const north = Math.min(90, centre.lat + tall);
  if (south === -90 || north === 90) return [{ south, north, west: -180, east: 180 }];
  // Where meridians touch the circle, not at its centre's latitude: there it is widest.
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
