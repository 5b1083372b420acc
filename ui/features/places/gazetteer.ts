import { folded } from './fold.js';
import type { GazetteerColumns } from './gazetteer-file.js';
import { OTHER_NAMES } from './other-names.js';

export interface Point {
  lat: number;
  lon: number;
}

/** A place of the gazetteer. `key` identifies it in a query or a draft, identically on every machine. */
export interface Place extends Point {
  key: string;
  name: string;
  country: string;
  /** The displayed form: `Lisbon, Portugal`. */
  label: string;
  /** A larger place nearby, when the country has several places of this name. */
  beside?: string | undefined;
}

const EARTH_RADIUS_KM = 6371.0088;
const radians = (degrees: number) => (degrees * Math.PI) / 180;
const countryNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' });

/**
 * Returns the unit vector of a point. The dot product then measures nearness, correctly at the poles and across the
 * antimeridian.
 */
function computeVector({ lat, lon }: Point): [number, number, number] {
  const [phi, lambda] = [radians(lat), radians(lon)];
  return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)];
}

/** How well a name matches: the whole name, its beginning, the beginning of a later word. */
const MATCH_RANK = { whole: 0, beginning: 1, word: 2, none: 3 } as const;

function computeFit(name: string, wanted: string): number | undefined {
  if (name.startsWith(wanted)) return name.length === wanted.length ? MATCH_RANK.whole : MATCH_RANK.beginning;
  return name.includes(` ${wanted}`) ? MATCH_RANK.word : undefined;
}

/** The bundled places of the world, by name and position. It makes no requests. */
export class Gazetteer {
  private readonly folded: string[];
  private vectors: Float64Array | undefined;
  private readonly named = new Map<string, number[]>();

  constructor(private readonly columns: GazetteerColumns) {
    this.folded = columns.names.map(folded);
  }

  get count(): number {
    return this.columns.names.length;
  }

  /**
   * Searches places whose name, other name, or one of its words begins with the text, ignoring accents. A whole name
   * ranks first, then the larger place. The text after a comma is the beginning of a country's name, or its code:
   * `springfield, us`.
   */
  search(text: string, limit: number): Place[] {
    const [words = '', ...rest] = text.split(',');
    const wanted = folded(words);
    if (wanted === '') return [];
    const country = folded(rest.join(' '));
    const best = new Map<number, number>();
    const add = (at: number, fit: number | undefined) => {
      if (fit === undefined || fit >= (best.get(at) ?? MATCH_RANK.none) || (country !== '' && !this.isIn(at, country)))
        return;
      best.set(at, fit);
    };
    for (let at = 0; at < this.folded.length; at += 1) add(at, computeFit(this.folded[at] as string, wanted));
    for (const [name, key] of Object.entries(OTHER_NAMES)) {
      const fit = computeFit(name, wanted);
      const at = fit === undefined ? undefined : this.findIndex(key);
      if (at !== undefined) add(at, fit);
    }
    return [...best]
      .sort(([a, fitA], [b, fitB]) => fitA - fitB || this.getSize(b) - this.getSize(a) || a - b)
      .slice(0, limit)
      .map(([at]) => this.placeAt(at));
  }

  /** Returns the place nearest to a point and its distance in kilometres; undefined only when there are no places. */
  nearest(point: Point): { place: Place; km: number } | undefined {
    const found = this.getNearest(point, () => true);
    return found && { place: this.placeAt(found.at), km: EARTH_RADIUS_KM * Math.acos(Math.min(1, found.cosine)) };
  }

  /** Returns the place of a `key`; undefined for an unknown key. */
  find(key: string): Place | undefined {
    const at = this.findIndex(key);
    return at === undefined ? undefined : this.placeAt(at);
  }

  private findIndex(key: string): number | undefined {
    const [, name, code, rank] = /^(.+), ([A-Z]{2})(?:, (\d+))?$/.exec(key) ?? [];
    return name === undefined || code === undefined ? undefined : this.sameName(name, code)[Number(rank ?? 1) - 1];
  }

  private getNearest(point: Point, counts: (at: number) => boolean): { at: number; cosine: number } | undefined {
    const vectors = this.listVectors();
    const [x, y, z] = computeVector(point);
    let found: { at: number; cosine: number } | undefined;
    for (let at = 0; at < this.count; at += 1) {
      const cosine =
        x * (vectors[3 * at] as number) + y * (vectors[3 * at + 1] as number) + z * (vectors[3 * at + 2] as number);
      if (cosine > (found?.cosine ?? Number.NEGATIVE_INFINITY) && counts(at)) found = { at, cosine };
    }
    return found;
  }

  private isIn(at: number, country: string): boolean {
    const code = this.columns.countries[at] as string;
    return code.toLowerCase() === country || folded(countryNames.of(code) ?? code).startsWith(country);
  }

  private getSize(at: number): number {
    return this.columns.sizes[at] ?? 0;
  }

  /** Returns the indexes of places of one name in one country, the largest first. */
  private sameName(name: string, code: string): number[] {
    const key = `${name}, ${code}`;
    const known = this.named.get(key);
    if (known) return known;
    const { names, countries } = this.columns;
    const found: number[] = [];
    for (let at = names.indexOf(name); at !== -1; at = names.indexOf(name, at + 1))
      if (countries[at] === code) found.push(at);
    found.sort((a, b) => this.getSize(b) - this.getSize(a) || a - b);
    this.named.set(key, found);
    return found;
  }

  private placeAt(at: number): Place {
    const { names, countries, lats, lons } = this.columns;
    const name = names[at] as string;
    const code = countries[at] as string;
    const rank = this.sameName(name, code).indexOf(at) + 1;
    const country = countryNames.of(code) ?? code;
    return {
      key: `${name}, ${code}${rank > 1 ? `, ${rank}` : ''}`,
      name,
      country,
      label: `${name}, ${country}`,
      lat: (lats[at] as number) / 100,
      lon: (lons[at] as number) / 100,
      beside: this.sameName(name, code).length > 1 ? this.getBeside(at) : undefined,
    };
  }

  /** Returns the name of the nearest larger place. */
  private getBeside(at: number): string | undefined {
    const { lats, lons, names } = this.columns;
    const size = this.getSize(at);
    const nearest = this.getNearest(
      { lat: (lats[at] as number) / 100, lon: (lons[at] as number) / 100 },
      (other) => this.getSize(other) > size && names[other] !== names[at],
    );
    return nearest && names[nearest.at];
  }

  private listVectors(): Float64Array {
    if (this.vectors) return this.vectors;
    const { lats, lons } = this.columns;
    const vectors = new Float64Array(3 * this.count);
    for (let at = 0; at < this.count; at += 1)
      vectors.set(computeVector({ lat: (lats[at] as number) / 100, lon: (lons[at] as number) / 100 }), 3 * at);
    this.vectors = vectors;
    return vectors;
  }
}
