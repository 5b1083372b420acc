import type { AskError, AskStatus, CitationStatus } from '../contract/asks.js';

const WORDS: Readonly<Record<AskStatus, string>> = {
  queued: 'queued',
  running: 'working',
  needs_input: 'needs you',
  done: 'answered',
  error: 'failed',
};

/** Every status; read off the table of words, so that the command line does not load the schemas for it. */
export const STATUSES = Object.keys(WORDS) as AskStatus[];

/** Whether a request has ended for good. */
export const isOver = (status: AskStatus) => status === 'done' || status === 'error';

/** A request's status in the words that the dashboard uses too. */
export function statusWord({ status, error }: { status: AskStatus; error?: AskError }): string {
  return error?.code === 'cancelled' ? 'stopped' : WORDS[status];
}

const MARKS: Readonly<Record<CitationStatus, string>> = { checked: '✓', moved: '→ moved', dropped: '✗ dropped' };

export function citationMark(status: CitationStatus): string {
  return MARKS[status];
}
