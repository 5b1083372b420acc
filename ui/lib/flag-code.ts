/** The fourteen patterns of the signal flags, each distinguishable without colour. */
export const FLAG_PATTERNS = [
  'pale',
  'fess',
  'quarters',
  'cross',
  'saltire',
  'border',
  'bars',
  'pallets',
  'bend',
  'disc',
  'lozenge',
  'pile',
  'chequer',
  'canton',
] as const;
export type FlagPattern = (typeof FLAG_PATTERNS)[number];

/** Ten pairs, at least 3:1 against each other; neither the amber that means "needs you" nor the plum that means "open" is among them. */
export const FLAG_COLOURS = [
  ['#1F3F6E', '#FCFBF8'],
  ['#A8392F', '#FCFBF8'],
  ['#0F6B5C', '#FCFBF8'],
  ['#1D2423', '#FCFBF8'],
  ['#1F3F6E', '#E9D9A6'],
  ['#1D2423', '#9CC7B4'],
  ['#7B2A22', '#E9D9A6'],
  ['#17463D', '#B9D4EA'],
  ['#1F3F6E', '#E39A8C'],
  ['#33501F', '#DDE6C8'],
] as const;

/** Which flag an id flies: the same on every machine, forever. */
export function flagOf(id: string): { pattern: FlagPattern; field: string; charge: string } {
  const hash = mix(id);
  const pattern = FLAG_PATTERNS[hash % FLAG_PATTERNS.length] ?? 'pale';
  const [field, charge] = FLAG_COLOURS[(hash >>> 12) % FLAG_COLOURS.length] ?? FLAG_COLOURS[0];
  return { pattern, field, charge };
}

/** A basis under which the nine default members fly nine different patterns. */
const BASIS = 0x811c9dfb;

/** FNV-1a over UTF-16 units, then an avalanche so that ids that differ in one letter part in every bit. */
function mix(id: string): number {
  let hash = BASIS;
  for (let i = 0; i < id.length; i += 1) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
