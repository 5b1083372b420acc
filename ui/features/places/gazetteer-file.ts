/** The columns of the bundled gazetteer, one entry per place, as `scripts/build/gazetteer.mjs` writes them. */
export interface GazetteerColumns {
  names: readonly string[];
  /** ISO 3166 codes. */
  countries: readonly string[];
  /** Hundredths of a degree. */
  lats: Int16Array;
  lons: Int16Array;
  /** Logarithms of populations, for comparison only. */
  sizes: Uint8Array;
}

interface Header {
  count: number;
  countries: [code: string, count: number][];
  names: number;
}

/** Decodes a delta-encoded column whose low bytes precede its high bytes. */
function added(bytes: Uint8Array): Int16Array {
  const count = bytes.length / 2;
  const values = new Int16Array(count);
  let value = 0;
  for (let at = 0; at < count; at += 1) {
    // Differences and sums are signed 16-bit integers.
    value = ((value + (bytes[at] ?? 0) + ((bytes[count + at] ?? 0) << 8)) << 16) >> 16;
    values[at] = value;
  }
  return values;
}

export function readGazetteerFile(file: Uint8Array): GazetteerColumns {
  const text = new TextDecoder();
  const headEnd = file.indexOf(0x0a) + 1;
  const { count, countries, names } = JSON.parse(text.decode(file.subarray(0, headEnd))) as Header;
  let at = headEnd;
  const next = (bytes: number) => {
    at += bytes;
    return file.subarray(at - bytes, at);
  };
  return {
    names: count === 0 ? [] : text.decode(next(names)).split('\n'),
    countries: countries.flatMap(([code, places]) => new Array<string>(places).fill(code)),
    lats: added(next(2 * count)),
    lons: added(next(2 * count)),
    sizes: next(count),
  };
}
