import type { Rating } from '../../contract/asks.js';
import type { Conversation, Message } from '../../contract/conversations.js';
import { escapeHtml } from '../../http/docs-page.js';
import { scrubSecrets } from '../../lib/secrets/secrets.js';
import { messageWithoutSecrets } from './without-secrets.js';

export const EXPORT_FORMATS = {
  md: 'text/markdown; charset=utf-8',
  jsonl: 'application/jsonl; charset=utf-8',
  html: 'text/html; charset=utf-8',
} as const;
export type ExportFormat = keyof typeof EXPORT_FORMATS;

/** Returns what the operator thinks of the answer of a turn. */
export type FindRating = (turn: string) => Pick<Rating, 'value' | 'note'> | undefined;

type Facts = Pick<Conversation, 'conv' | 'title' | 'member' | 'created_at'>;

const getSpeaker = (message: Message, { member }: Facts) =>
  message.role === 'user'
    ? message.from_outside
      ? 'A program'
      : (message.asked_by ?? 'You')
    : message.role === 'assistant'
      ? (member ?? 'Agent')
      : message.role;

const getPlace = ({ path, start_line, end_line, status }: Message['citations'][number]) =>
  `${path}:${start_line}-${end_line} (${status})`;

/**
 * Formats a conversation as a document with secrets scrubbed, in pieces, oldest message first. In Markdown, answers that
 * the operator has rated say so.
 */
export function* transcript(
  conversation: Facts,
  messages: Iterable<Message>,
  format: ExportFormat,
  findRating: FindRating,
): Iterable<string> {
  const facts = { ...conversation, title: scrubSecrets(conversation.title) };
  if (format === 'md') yield* markdown(facts, clean(messages), findRating);
  else yield* document(facts, clean(messages), format);
}

/** Formats the rating of an answer as one line, empty without one. */
function formatRating({ role, turn }: Message, findRating: FindRating): string {
  const rating = role === 'assistant' ? findRating(turn) : undefined;
  if (!rating) return '';
  const words = scrubSecrets(rating.note).split(/\s+/u).filter(Boolean).join(' ');
  return `Rated ${rating.value === 'up' ? 'good' : 'bad'}${words === '' ? '' : `: ${words}`}`;
}

function* markdown(conversation: Facts, messages: Iterable<Message>, findRating: FindRating): Iterable<string> {
  yield `# ${conversation.title}\n\n${getFacts(conversation)}\n`;
  for (const message of messages) {
    const calls = message.calls.map(({ name, target }) => `- ${name} ${target}`).join('\n');
    const citations = message.citations.map((citation) => `- ${getPlace(citation)}`).join('\n');
    const parts = [calls, message.text, citations, formatRating(message, findRating)].filter((part) => part !== '');
    yield `\n## ${getSpeaker(message, conversation)}, ${message.created_at}\n\n${parts.join('\n\n')}\n`;
  }
}

const getFacts = ({ member, created_at }: Facts) => `${member ?? 'no member'}, since ${created_at}`;

function* clean(messages: Iterable<Message>): Iterable<Message> {
  for (const message of messages) yield messageWithoutSecrets(message);
}

function* document(
  conversation: Facts,
  messages: Iterable<Message>,
  format: Exclude<ExportFormat, 'md'>,
): Iterable<string> {
  if (format === 'jsonl') {
    for (const message of messages) yield `${JSON.stringify(message)}\n`;
    return;
  }
  const title = escapeHtml(conversation.title);
  yield `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body><h1>${title}</h1><p>${escapeHtml(getFacts(conversation))}</p>\n`;
  for (const message of messages) {
    const citations = message.citations.map((citation) => `<li>${escapeHtml(getPlace(citation))}</li>`).join('');
    yield `<section><h2>${escapeHtml(getSpeaker(message, conversation))}, ` +
      `<time>${message.created_at}</time></h2><pre>${escapeHtml(message.text)}</pre>${citations && `<ul>${citations}</ul>`}</section>\n`;
  }
  yield '</body></html>\n';
}
