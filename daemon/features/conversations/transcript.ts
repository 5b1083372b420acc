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

type Facts = Pick<Conversation, 'conv' | 'title' | 'member' | 'created_at'>;

const getSpeaker = (message: Message, { member }: Facts) =>
  message.role === 'user'
    ? message.from_outside
      ? 'A program'
      : 'You'
    : message.role === 'assistant'
      ? (member ?? 'Agent')
      : message.role;

const getPlace = ({ path, start_line, end_line, status }: Message['citations'][number]) =>
  `${path}:${start_line}-${end_line} (${status})`;

/** Formats a conversation as a document with secrets scrubbed, in pieces, oldest message first. */
export function* transcript(conversation: Facts, messages: Iterable<Message>, format: ExportFormat): Iterable<string> {
  yield* document({ ...conversation, title: scrubSecrets(conversation.title) }, clean(messages), format);
}

function* clean(messages: Iterable<Message>): Iterable<Message> {
  for (const message of messages) yield messageWithoutSecrets(message);
}

function* document(conversation: Facts, messages: Iterable<Message>, format: ExportFormat): Iterable<string> {
  if (format === 'jsonl') {
    for (const message of messages) yield `${JSON.stringify(message)}\n`;
    return;
  }
  const facts = `${conversation.member ?? 'no member'}, since ${conversation.created_at}`;
  if (format === 'md') {
    yield `# ${conversation.title}\n\n${facts}\n`;
    for (const message of messages) {
      const calls = message.calls.map(({ name, target }) => `- ${name} ${target}`).join('\n');
      const citations = message.citations.map((citation) => `- ${getPlace(citation)}`).join('\n');
      yield `\n## ${getSpeaker(message, conversation)}, ${message.created_at}\n\n${[calls, message.text, citations].filter((part) => part !== '').join('\n\n')}\n`;
    }
    return;
  }
  const title = escapeHtml(conversation.title);
  yield `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body><h1>${title}</h1><p>${escapeHtml(facts)}</p>\n`;
  for (const message of messages) {
    const citations = message.citations.map((citation) => `<li>${escapeHtml(getPlace(citation))}</li>`).join('');
    yield `<section><h2>${escapeHtml(getSpeaker(message, conversation))}, <time>${message.created_at}</time></h2><pre>${escapeHtml(message.text)}</pre>${citations && `<ul>${citations}</ul>`}</section>\n`;
  }
  yield '</body></html>\n';
}
