import { sanitizeDisplayText } from '../../../daemon/lib/text/display-text.js';

/**
 * More combining marks on one letter than any script uses. They cover the lines around it and take a browser minutes to
 * render.
 */
const PILED = /(\p{M}{16})\p{M}+/gu;

/**
 * Prepares untrusted text of files and callers for display: escapes invisible characters, and cuts runs of combining
 * marks that would cover the lines around.
 */
export const toDisplayText = (text: string): string => sanitizeDisplayText(text).replace(PILED, '$1\ufffd');
