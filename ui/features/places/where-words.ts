import type { Where } from '../../../daemon/contract/clusters.js';
import { isLocated } from './where-choice.js';

/** Labels that say themselves how near they are. */
const SAYS_HOW = /^(?:near|in|at|around|close to|off)\s/i;

/** `near Lisbon, Portugal`; a label that says so itself as it stands. */
export const nearWords = (label: string): string => (SAYS_HOW.test(label) ? label : `near ${label}`);

/** A place as people read it, from its label only: `Near Lisbon, Portugal`; one that is no point as it stands. */
export function whereWords(where: Where): string {
  if (where === 'none') return 'no place';
  if (!isLocated(where)) return where.label;
  const words = nearWords(where.label);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
