import type { Where } from '../../../daemon/contract/clusters.js';
import { isLocated } from './where-choice.js';

/** Matches labels that start with a preposition. */
const HAS_PREPOSITION = /^(?:near|in|at|around|close to|off)\s/i;

/** Returns `near Lisbon, Portugal`; a label that starts with a preposition is returned unchanged. */
export const formatNear = (label: string): string => (HAS_PREPOSITION.test(label) ? label : `near ${label}`);

/**
 * Returns a place as displayed, from its label only: `Near Lisbon, Portugal`. A place without a point is returned
 * unchanged.
 */
export function formatWhere(where: Where): string {
  if (where === 'none') return 'no place';
  if (!isLocated(where)) return where.label;
  const words = formatNear(where.label);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
