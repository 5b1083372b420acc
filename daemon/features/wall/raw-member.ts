const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
/** Braces and brackets differ by this bit. */
const BRACE_BIT = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/**
 * Returns the raw text of the value of `key` in the JSON object `text`. Numbers of any length, the order and repetition
 * of keys, and escapes are thereby forwarded unchanged. With duplicate keys the last one wins, as in `JSON.parse`.
 * `text` must be valid JSON for an object.
 */
export function rawMember(text: string, key: string): string | undefined {
  let found: string | undefined;
  let depth = 0;
  let name: string | undefined;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const kind = code | BRACE_BIT;
    if (code === QUOTE) {
      const begin = at;
      at = endOfString(text, begin);
      if (depth === 1 && name === undefined) name = JSON.parse(text.slice(begin, at + 1)) as string;
    } else if (kind === OPEN) depth += 1;
    else if (depth === 1 && code === COLON) start = at + 1;
    else if (depth === 1 && (code === COMMA || kind === CLOSE)) {
      if (name === key) found = text.slice(start, at).trim();
      name = undefined;
    } else if (kind === CLOSE) depth -= 1;
  }
  return found;
}

/**
 * The index of the closing quote of the string that begins at `begin`: the next quote preceded by an even number
 * of backslashes.
 */
function endOfString(text: string, begin: number): number {
  for (let end = text.indexOf('"', begin + 1); ; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
}
