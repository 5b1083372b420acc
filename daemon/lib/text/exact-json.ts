import { randomUUID } from 'node:crypto';

/** A JSON number holds every whole number of at most this many digits exactly. */
const SAFE_DIGITS = 15;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** Random, so that no text of the document can pass for a marked number. */
const MARK = `whole ${randomUUID()} `;

/**
 * Parses JSON with exact whole numbers: those outside the range of safe integers are returned as bigint, all other
 * values as by `JSON.parse`. Throws a SyntaxError when `text` is not JSON.
 */
export function parseExactJson(text: string): unknown {
  let marked = '';
  let copied = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === 0x22) {
      for (at += 1; at < text.length && text.charCodeAt(at) !== 0x22; at += 1)
        if (text.charCodeAt(at) === 0x5c) at += 1;
      continue;
    }
    if (character !== 0x2d && (character < 0x30 || character > 0x39)) continue;
    NUMBER.lastIndex = at;
    const number = NUMBER.exec(text)?.[0] ?? '';
    if (number.length > SAFE_DIGITS && /^-?(?:0|[1-9]\d*)$/.test(number)) {
      marked += `${text.slice(copied, at)}${JSON.stringify(MARK + number)}`;
      copied = at + number.length;
    }
    at += Math.max(0, number.length - 1);
  }
  return JSON.parse(marked + text.slice(copied), (_key, value: unknown) => (isMarked(value) ? whole(value) : value));
}

const isMarked = (value: unknown): value is string => typeof value === 'string' && value.startsWith(MARK);

function whole(marked: string): number | bigint {
  const value = BigInt(marked.slice(MARK.length));
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}
