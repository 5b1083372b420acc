import { MESSAGE_TEXT_MAX_CHARS } from '../../contract/conversations.js';
import type { ReviewComment } from '../../contract/work/reviews.js';
import { MeshError } from '../../lib/errors.js';
import { fenceFor } from './review-answer.js';

const OPENING = 'Work through these review comments on your changes. Each names its file and lines and quotes them.';

/** The one message with which comments are sent. Quotes are shortened when it gets too long. Throws `too_large`. */
export function composeReviewMessage(opening: string, comments: readonly ReviewComment[]): string {
  for (const quoteChars of [8_000, 2_000, 500, 0]) {
    const parts = comments.map((comment, at) => describe(comment, at + 1, quoteChars));
    const text = [...(opening === '' ? [] : [opening]), OPENING, ...parts].join('\n\n');
    if (text.length <= MESSAGE_TEXT_MAX_CHARS) return text;
  }
  throw new MeshError(
    'too_large',
    `The ${comments.length} comments are longer than a message, which has at most ${MESSAGE_TEXT_MAX_CHARS} ` +
      'characters: shorten them, or delete some and send those later.',
  );
}

function describe(comment: ReviewComment, number: number, quoteChars: number): string {
  const { path, quote, text, author } = comment;
  const from = author === null ? '' : `, by ${author}`;
  const heading = `${number}. \`${path}\`, ${formatPlace(comment)}${from}`;
  const shown = quote.length > quoteChars ? `${quote.slice(0, quoteChars)}…` : quote;
  if (quote === '' || quoteChars === 0) return `${heading}\n\n${text}`;
  const fence = fenceFor(shown);
  return `${heading}\n\n${fence}diff\n${shown}\n${fence}\n\n${text}`;
}

function formatPlace({ side, start_line, end_line }: ReviewComment): string {
  if (start_line === null) return 'the whole file';
  const lines = end_line === null || end_line === start_line ? `line ${start_line}` : `lines ${start_line}–${end_line}`;
  return side === 'old' ? `${lines} before the change` : lines;
}
