const LINE_END = 0x0a;

/**
 * Yields the lines of `stream`, which end at a line feed only; a carriage return before it is removed. Invalid UTF-8
 * becomes U+FFFD; a character that is split across two chunks is joined. A last line without an end is a line. Lines
 * may have any length. Throws what the stream throws.
 *
 * Implemented here because the readline of Node.js also ends a line at a lone carriage return and, from Node.js 24 on,
 * at U+2028 and U+2029, which stand unescaped in JSON.
 */
export async function* readLines(stream: AsyncIterable<Buffer | string>): AsyncGenerator<string, void, void> {
  let pieces: Buffer[] = [];
  for await (const chunk of stream) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    let start = 0;
    for (let end = bytes.indexOf(LINE_END); end !== -1; end = bytes.indexOf(LINE_END, start)) {
      pieces.push(bytes.subarray(start, end));
      yield toLine(pieces);
      pieces = [];
      start = end + 1;
    }
    if (start < bytes.length) pieces.push(bytes.subarray(start));
  }
  if (pieces.length > 0) yield toLine(pieces);
}

/** Decoded once, because a character can be split across pieces. */
function toLine(pieces: readonly Buffer[]): string {
  const line = Buffer.concat(pieces).toString('utf8');
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
