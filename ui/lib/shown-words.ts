import { sanitizeDisplayText } from '../../daemon/lib/display-text.js';

/** More marks upon one letter than any script has: they cover the lines around it, and take a browser minutes to draw. */
const PILED = /(\p{M}{16})\p{M}+/gu;

/** Words from files and callers as they may be shown: what cannot be seen is escaped, and what would cover the lines around it is cut. */
export const shownWords = (text: string): string => sanitizeDisplayText(text).replace(PILED, '$1\ufffd');
