import type { Message, Part } from '@a2a-js/sdk';
import type { AskBody, ContextDoc } from '../../contract/asks.js';
import { ASK_DOC_MAX_BYTES, ASK_DOCS_MAX, ASK_TEXT_MAX_CHARS } from '../../contract/limits.js';
import { MeshError } from '../../lib/errors.js';

const FILENAME_CHARS = 255;
/** Media types of text. A file without one, or with that of any bytes, is text when its bytes are. */
const TEXT_TYPE =
  /^(?:|text\/.+|application\/(?:octet-stream|json|xml|yaml|x-yaml|toml|sql|graphql|javascript|typescript|x-sh|x-ndjson|.+\+(?:json|xml|yaml)))$/i;
const utf8 = new TextDecoder('utf-8', { fatal: true });

const wrong = (message: string) => new MeshError('bad_request', message, { details: { path: 'message.parts' } });

/**
 * The question in a message: its text parts, with its data and files as documents. URLs in a message are never fetched.
 * Throws `bad_request`, and `unsupported_media_type` for a file given by URL or one that is not text.
 */
export function messageQuestion({ parts }: Message): Pick<AskBody, 'text' | 'context_docs'> {
  const texts: string[] = [];
  const docs: ContextDoc[] = [];
  for (const part of parts) {
    const { content } = part;
    if (content?.$case === 'text' && part.filename === '') texts.push(content.value);
    else docs.push(document(part, docs.length + 1));
  }
  const text = texts.join('\n\n').trim();
  if (text === '' && docs.length === 0) throw wrong('The message says nothing: give it a text part.');
  if (text.length > ASK_TEXT_MAX_CHARS) {
    throw wrong(
      `The text of the message is longer than ${ASK_TEXT_MAX_CHARS} characters: send the rest as a file or data part.`,
    );
  }
  if (docs.length > ASK_DOCS_MAX)
    throw wrong(`A message takes at most ${ASK_DOCS_MAX} parts beside its text; this one has ${docs.length}.`);
  return {
    text: text === '' ? `The question is in ${docs.map(({ filename }) => filename).join(', ')}.` : text,
    ...(docs.length === 0 ? {} : { context_docs: docs }),
  };
}

function document({ content, filename, mediaType }: Part, number: number): ContextDoc {
  const named = (fallback: string) => (filename === '' ? fallback : filename).slice(0, FILENAME_CHARS);
  switch (content?.$case) {
    case 'text':
      return sized({ filename: named(`text-${number}.txt`), content: content.value });
    case 'data':
      return sized({ filename: named(`data-${number}.json`), content: JSON.stringify(content.value ?? null, null, 2) });
    case 'raw':
      return sized({ filename: named(`file-${number}.txt`), content: toText(content.value, mediaType) });
    case 'url':
      throw new MeshError(
        'unsupported_media_type',
        'Files by address are not fetched: send their content as text, data or raw.',
      );
    default:
      throw wrong('Every part needs one of text, data or raw.');
  }
}

function toText(bytes: Uint8Array, mediaType: string): string {
  let text: string | undefined;
  try {
    if (TEXT_TYPE.test((mediaType.split(';')[0] ?? '').trim())) text = utf8.decode(bytes);
  } catch {
    text = undefined;
  }
  if (text === undefined || text.includes('\0')) {
    throw new MeshError(
      'unsupported_media_type',
      `Only text is read; this file${mediaType === '' ? '' : ` (${mediaType.slice(0, 80)})`} is not.`,
    );
  }
  return text;
}

function sized(doc: ContextDoc): ContextDoc {
  if (Buffer.byteLength(doc.content) <= ASK_DOC_MAX_BYTES) return doc;
  throw wrong(`${doc.filename.slice(0, 80)} is larger than ${ASK_DOC_MAX_BYTES} bytes.`);
}

/** Whether the caller accepts an answer in one of our output modes. */
export function takesOurModes(accepted: readonly string[], ours: readonly string[]): boolean {
  if (accepted.length === 0) return true;
  const kinds = new Set(['*/*', '*', 'text', 'data', 'text/*', 'application/*', 'text/markdown', ...ours]);
  return accepted.some((mode) => kinds.has((mode.split(';')[0] as string).trim().toLowerCase()));
}
