const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** Additional length of an escape (`\u00e9`) compared with the UTF-16 unit that it replaces. */
const ESCAPE_GROWTH = 5;

/**
 * Decodes the Base64 VLQ numbers of a segment: six bits per digit, the sixth is the continuation bit, the lowest bit of
 * the first digit is the sign.
 */
function readSegment(text) {
  const numbers = [];
  let [value, shift] = [0, 0];
  for (const character of text) {
    const digit = DIGITS.indexOf(character);
    value += (digit & 31) << shift;
    shift += 5;
    if (digit >= 32) continue;
    numbers.push(value & 1 ? -(value >> 1) : value >> 1);
    [value, shift] = [0, 0];
  }
  return numbers;
}

function toVlq(value) {
  let rest = value < 0 ? (-value << 1) | 1 : value << 1;
  let text = '';
  do {
    const digit = rest & 31;
    rest >>= 5;
    text += DIGITS[rest > 0 ? digit | 32 : digit];
  } while (rest > 0);
  return text;
}

/**
 * Returns a function that maps a column of `line` to its column after the preceding non-ASCII characters are escaped.
 * Columns must be passed in ascending order.
 */
function escapedColumns(line) {
  let [scanned, growth] = [0, 0];
  return (column) => {
    for (; scanned < column; scanned += 1) if (line.charCodeAt(scanned) > 0x7f) growth += ESCAPE_GROWTH;
    return column + growth;
  };
}

/**
 * Returns the code with every non-ASCII character escaped, which Node.js reads faster. Comments are removed, so all
 * such characters are in literals.
 */
export function toAscii(code) {
  return code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Returns the source map of `toAscii(code)`, given the map of `code`. Contains only this project's sources, without
 * their text and names, which halves its size.
 */
export function toShippedMap(code, { sources, mappings }) {
  const lines = code.split('\n');
  const kept = sources.filter((source) => !source.includes('node_modules/'));
  const numbers = sources.map((source) => kept.indexOf(source));
  // Source, line and column of the last segment that was read. `written` is the same for the last segment that was
  // written.
  const read = [0, 0, 0];
  let written = [0, 0, 0];
  const finishLine = (segments, index) => {
    const escaped = escapedColumns(lines[index] ?? '');
    let [column, last, isMapped] = [0, 0, false];
    const finished = [];
    for (const segment of segments === '' ? [] : segments.split(',')) {
      const [step = 0, ...origin] = readSegment(segment);
      column += step;
      const at = escaped(column);
      for (const place of origin.length >= 3 ? [0, 1, 2] : []) read[place] += origin[place];
      const source = origin.length >= 3 ? numbers[read[0]] : -1;
      if (source === -1 && !isMapped) continue;
      isMapped = source !== -1;
      const now = [source, read[1], read[2]];
      finished.push([at - last, ...(isMapped ? now.map((value, place) => value - written[place]) : [])]);
      if (isMapped) written = now;
      last = at;
    }
    return finished.map((values) => values.map(toVlq).join('')).join(',');
  };
  return { version: 3, sources: kept, names: [], mappings: mappings.split(';').map(finishLine).join(';') };
}
