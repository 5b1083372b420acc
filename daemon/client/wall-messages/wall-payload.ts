import { isObject } from '../../lib/is-object.js';
/** A file of a message. `b64` is its content; `url` is the address that the sender claims for it. */
export type Media = { mime: string; name?: string } & ({ b64: string } | { url: string });

/** A piece of a message that is sent while it is being written. Spec: Streaming convention. */
export interface StreamPiece {
  stream: string;
  seq: number;
  delta: string;
  done: boolean;
}

/** The readable parts of a payload. They are untrusted and must only be rendered as text. */
export interface MessageContent {
  text: string;
  media: readonly Media[];
  /** Everything else in it, as JSON; undefined when there is nothing else. */
  data: string | undefined;
}

const MEDIA_MAX = 16;
const MIME = /^[\w.+-]{1,64}\/[\w.+-]{1,64}$/;
const STREAM_ID_MAX = 200;
const NAME_MAX_CHARS = 200;

/** Returns the stream piece that a payload is; undefined for every other payload. */
export function parseStreamPiece(payload: unknown): StreamPiece | undefined {
  if (!isObject(payload) || payload['type'] !== 'message') return undefined;
  const { stream, seq, delta, done } = payload;
  const isPiece = typeof stream === 'string' && stream.length <= STREAM_ID_MAX && Number.isSafeInteger(seq);
  if (!isPiece || (delta !== undefined && typeof delta !== 'string')) return undefined;
  if (delta === undefined && done !== true) return undefined;
  return { stream, seq: seq as number, delta: delta ?? '', done: done === true };
}

/**
 * Splits a payload: a string is text, an object may have `text` and `media`, and everything else is returned as data,
 * also items of `media` that are no files.
 */
export function parsePayload(payload: unknown): MessageContent {
  if (typeof payload === 'string') return { text: payload, media: [], data: undefined };
  if (!isObject(payload)) return { text: '', media: [], data: JSON.stringify(payload, null, 2) };
  const { text, media, ...rest } = payload;
  const items: unknown[] = Array.isArray(media) && media.length <= MEDIA_MAX ? media : [];
  const parsed = items.map(parseMedia);
  const files = parsed.filter((file) => file !== undefined);
  const areFiles = media === undefined || (Array.isArray(media) && files.length === media.length);
  const unread = items.length > 0 ? items.filter((_, at) => !parsed[at]) : media;
  const others: Record<string, unknown> = {
    ...(text !== undefined && typeof text !== 'string' && { text }),
    ...(!areFiles && { media: unread }),
    ...rest,
  };
  // A type that only says `message` carries no information.
  if (others['type'] === 'message') delete others['type'];
  const isAll = typeof text !== 'string' && files.length === 0;
  const data = isAll ? payload : others;
  return {
    text: typeof text === 'string' ? text : '',
    media: files,
    data: isAll || Object.keys(others).length > 0 ? JSON.stringify(data, null, 2) : undefined,
  };
}

function parseMedia(item: unknown): Media | undefined {
  if (!isObject(item)) return undefined;
  const { mime, url, b64, name } = item;
  // Parameters, such as the codecs that a browser's recorder names, do not matter to a reader.
  const type = typeof mime === 'string' ? (mime.split(';', 1)[0] as string).trim() : '';
  if (!MIME.test(type)) return undefined;
  const file = { mime: type.toLowerCase(), ...(typeof name === 'string' && { name: name.slice(0, NAME_MAX_CHARS) }) };
  if (typeof url === 'string' && b64 === undefined) return { ...file, url };
  if (typeof b64 === 'string' && url === undefined) return { ...file, b64 };
  return undefined;
}
