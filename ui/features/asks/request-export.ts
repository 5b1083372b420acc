import type { AskBody, Rating, RequestDetail } from '../../../daemon/contract/asks.js';
import { statusWord } from '../../components/status-mark.js';
import { formatCaller } from './caller-format.js';
import { formatCitationPlace, formatLines } from './citation-format.js';

/** Returns a request as Markdown: question, caller, the operator's rating, answer and citations. */
export function requestMarkdown(request: RequestDetail): string {
  const {
    request_id,
    member,
    text,
    caller,
    created_at,
    finished_at,
    client,
    model,
    status,
    error,
    result_text,
    citations = [],
    rating,
  } = request;
  const facts = [
    `Request ${request_id}, asked by ${formatCaller(caller)} on ${created_at}`,
    finished_at &&
      `${statusWord(status, error?.code)} on ${finished_at} by ${client}${model === 'none' ? '' : `, ${model}`}`,
    error && `${error.code}: ${error.message}`,
    rating && formatRating(rating),
  ].filter(Boolean);
  return [
    `# Ask to ${member}`,
    quoted(text),
    facts.map((fact) => `- ${fact}`).join('\n'),
    ...(result_text ? ['## Answer', result_text.trim()] : []),
    ...(citations.length > 0
      ? [
          '## Citations',
          citations
            .map(
              (one) =>
                `- ${formatCitationPlace(one)}: ` +
                `${one.status}${one.status === 'moved' && one.given ? ` from ${formatLines(one.given)}` : ''}${one.commit ? `, at ${one.commit}` : ''}`,
            )
            .join('\n'),
        ]
      : []),
  ]
    .join('\n\n')
    .concat('\n');
}

/** Formats a rating as one line: its word, and why. */
function formatRating({ value, note }: Rating): string {
  const words = note.split(/\s+/u).filter(Boolean).join(' ');
  return `Rated ${value === 'up' ? 'good' : 'bad'}${words === '' ? '' : `: ${words}`}`;
}

const quoted = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');

/** Returns the HTTP request as the caller sent it, without the token. */
export function rawCall({ text, session, context_docs, caller, member }: RequestDetail): string {
  const body: AskBody = {
    text,
    ...(session !== null && { session }),
    ...(context_docs.length > 0 && { context_docs }),
  };
  return [
    `POST /team/${member}/ask`,
    'Authorization: Bearer …',
    ...(caller.user_agent === null ? [] : [`User-Agent: ${caller.user_agent}`]),
    ...(caller.idempotency_key === null ? [] : [`Idempotency-Key: ${caller.idempotency_key}`]),
    'Content-Type: application/json',
    '',
    JSON.stringify(body, null, 2),
  ].join('\n');
}
