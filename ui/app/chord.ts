/** How long after `g` the next key names a page. */
export const CHORD_MS = 1_200;
