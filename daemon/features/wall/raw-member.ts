const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN = new Set([0x7b, 0x5b]);
const CLOSE = new Set([0x7d, 0x5d]);

/**
 * The text of the value that `key` has in the JSON object `text`, word for word, so that it can be passed on as it came: numbers of any length, the order
 * and repetition of keys, escapes. The last one counts, as for `JSON.parse`. `text` must be one that `JSON.parse` takes for an object.
 */
export function rawMember(text: string, key: string): string | undefined {
  let found: string | undefined;
  let depth = 0;
  let name: string | undefined;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const begin = at;
      for (at += 1; text.charCodeAt(at) !== QUOTE; at += 1) if (text.charCodeAt(at) === BACKSLASH) at += 1;
      if (depth === 1 && name === undefined) name = JSON.parse(text.slice(begin, at + 1)) as string;
    } else if (OPEN.has(code)) depth += 1;
    else if (depth === 1 && code === COLON) start = at + 1;
    else if (depth === 1 && (code === COMMA || CLOSE.has(code))) {
      if (name === key) found = text.slice(start, at).trim();
      name = undefined;
      if (CLOSE.has(code)) depth -= 1;
    } else if (CLOSE.has(code)) depth -= 1;
  }
  return found;
}
