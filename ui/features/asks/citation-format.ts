import type { Citation } from '../../../daemon/contract/asks.js';

export function formatCitationPlace({
  path,
  start_line,
  end_line,
}: Pick<Citation, 'path' | 'start_line' | 'end_line'>): string {
  return start_line === end_line ? `${path}:${start_line}` : `${path}:${start_line}-${end_line}`;
}

/** Finds the citation for a place in an answer, `src/retry.ts:40-72` or `:40`. Dropped citations are skipped. */
export function citationAt(place: string, citations: readonly Citation[]): Citation | undefined {
  const [, path, start, end = start] = /^(.+):(\d+)(?:-(\d+))?$/.exec(place) ?? [];
  return citations.find(
    (one) =>
      one.status !== 'dropped' && one.path === path && one.start_line === Number(start) && one.end_line === Number(end),
  );
}

/** Formats as `2 of 3 quotes verified`, or `3 quotes verified` when all are. */
export function formatCitation(checked: number, total: number): string {
  if (total === 0) return 'no citations';
  return `${checked === total ? total : `${checked} of ${total}`} ${total === 1 ? 'quote' : 'quotes'} verified`;
}
