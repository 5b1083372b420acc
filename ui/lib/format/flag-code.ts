/**
 * The fourteen patterns of member flags, as SVG paths on a field of 18 × 12. They are distinguishable without colour
 * and named after heraldic ordinaries.
 */
export const FLAG_PATTERNS = [
  // pale
  'M9 0h9v12H9z',
  // fess
  'M0 6h18v6H0z',
  // quarters
  'M0 0h9v6H0zM9 6h9v6H9z',
  // cross
  'M7.200 0h3.600v4.200H18v3.600h-7.200V12H7.200V7.800H0V4.200h7.200z',
  // saltire
  'M0 0h3.400L9 3.700 14.600 0H18v2.300L12.400 6 18 9.700V12h-3.400L9 8.300 3.400 12H0V9.700L5.600 6 0 2.300z',
  // border
  'M4.500 3h9v6h-9z',
  // bars
  'M0 4h18v4H0z',
  // pallets
  'M6 0h6v12H6z',
  // bend
  'M0 0v12h18z',
  // disc
  'M5 6a4 4 0 1 1 8 0a4 4 0 1 1-8 0z',
  // lozenge
  'M9 0.800 16.500 6 9 11.200 1.500 6z',
  // pile
  'M0 0l13 6-13 6z',
  // chequer
  'M0 0h4.500v4H0zM9 0h4.500v4H9zM4.500 4H9v4H4.500zM13.500 4H18v4h-4.500zM0 8h4.500v4H0zM9 8h4.500v4H9z',
  // canton
  'M0 0h8v6.500H0z',
] as const;

/**
 * Ten colour pairs with a contrast of at least 3:1. Neither the amber that means "needs you" nor the plum that means
 * "open" is among them.
 */
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

/** Returns the flag of an id. It depends on the id alone: it is the same on every machine and must never change. */
export function createFlag(id: string): { pattern: string; field: string; charge: string } {
  const hash = mix(id);
  const pattern = FLAG_PATTERNS[hash % FLAG_PATTERNS.length] ?? FLAG_PATTERNS[0];
  const [field, charge] = FLAG_COLOURS[(hash >>> 12) % FLAG_COLOURS.length] ?? FLAG_COLOURS[0];
  return { pattern, field, charge };
}

/** FNV offset basis, chosen so that the nine default members get nine different patterns. */
const BASIS = 0x811c9dfb;

/**
 * FNV-1a over UTF-16 units, followed by an avalanche step, so that ids that differ in one letter differ in every bit.
 */
function mix(id: string): number {
  let hash = BASIS;
  for (let i = 0; i < id.length; i += 1) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
