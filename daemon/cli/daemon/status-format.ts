import type { AskError, AskStatus, CitationStatus } from '../../contract/asks.js';

const WORDS: Readonly<Record<AskStatus, string>> = {
  queued: 'queued',
  running: 'working',
  needs_input: 'needs you',
  done: 'answered',
  error: 'failed',
};

/** Every status, taken from the table of words so that the command line does not load the schemas. */
export const STATUSES = Object.keys(WORDS) as AskStatus[];

/** Whether a request has ended. */
export const isOver = (status: AskStatus) => status === 'done' || status === 'error';

/** The status of a request in the words that the dashboard uses too. */
export function statusWord({ status, error }: { status: AskStatus; error?: AskError }): string {
  return error?.code === 'cancelled' ? 'stopped' : WORDS[status];
}

const MARKS: Readonly<Record<CitationStatus, string>> = {
  checked: '✓',
  moved: '→ moved',
  changed: '≠ changed',
  dropped: '✗ dropped',
};

export function citationMark(status: CitationStatus): string {
  return MARKS[status];
}
