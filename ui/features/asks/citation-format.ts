import type { Citation, Confidence, SearchOutcome } from '../../../daemon/contract/asks.js';

export const KIND_LABELS: Readonly<Record<Confidence, string>> = {
  found: 'Found',
  likely: 'Probably here',
  none: 'Not found',
};

type Lines = Pick<Citation, 'start_line' | 'end_line'>;

export function formatCitationPlace({ path, start_line, end_line }: Pick<Citation, 'path'> & Lines): string {
  return start_line === end_line ? `${path}:${start_line}` : `${path}:${start_line}-${end_line}`;
}

/** Formats as `line 7` or `lines 7-9`. */
export function formatLines({ start_line, end_line }: Lines): string {
  return start_line === end_line ? `line ${start_line}` : `lines ${start_line}-${end_line}`;
}

/**
 * Finds the citation for a place in an answer, `src/retry.ts:40-72` or `:40`, by the lines that it had when the answer
 * was given. Dropped citations are skipped.
 */
export function citationAt(place: string, citations: readonly Citation[]): Citation | undefined {
  const [, path, start, end = start] = /^(.+):(\d+)(?:-(\d+))?$/.exec(place) ?? [];
  return citations.find((one) => {
    const { start_line, end_line } = one.given ?? one;
    return one.status !== 'dropped' && one.path === path && start_line === Number(start) && end_line === Number(end);
  });
}

/** Formats as `2 of 3 quotes verified`, or `3 quotes verified` when all are. */
export function formatCitation(checked: number, total: number): string {
  if (total === 0) return 'no citations';
  return `${checked === total ? total : `${checked} of ${total}`} ${total === 1 ? 'quote' : 'quotes'} verified`;
}

/**
 * Formats the citations of an answer as `3 quotes verified`, with how many have changed and how many more there are.
 */
export function formatCitations(citations: readonly Citation[], total = citations.length): string {
  const verified = citations.filter(({ status }) => status === 'checked' || status === 'moved').length;
  const changed = citations.filter(({ status }) => status === 'changed').length;
  const words = [formatCitation(verified, citations.length)];
  if (changed > 0) words.push(`${changed} changed since`);
  if (total > citations.length) words.push(`the first ${citations.length} of ${total} places`);
  return words.join(', ');
}

const counted = new Intl.NumberFormat('en');

/** Formats what the built-in search has looked at, and what it could not. */
export function formatSearched({ files, left_out, not_text, pending }: SearchOutcome['searched']): string {
  return [
    `${counted.format(files)} ${files === 1 ? 'file' : 'files'} searched`,
    ...(pending ? [`${counted.format(pending)} not read yet`] : []),
    ...(left_out > 0 ? [`${counted.format(left_out)} left out`] : []),
    ...(not_text ? [`${counted.format(not_text)} not text`] : []),
  ].join(', ');
}
