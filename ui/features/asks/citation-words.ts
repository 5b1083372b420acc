import type { Citation } from '../../../daemon/contract/asks.js';

export function placeWords({ path, start_line, end_line }: Pick<Citation, 'path' | 'start_line' | 'end_line'>): string {
  return start_line === end_line ? `${path}:${start_line}` : `${path}:${start_line}-${end_line}`;
}

/** `2 of 3 checked`; nothing when nothing was cited. */
export function citationWords(checked: number, total: number): string {
  return total === 0 ? 'no citations' : `${checked} of ${total} checked`;
}
