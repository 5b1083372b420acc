import { describe, expect, it } from 'vitest';
import { textFrame } from './websocket-frame.js';

/** The payloads of unmasked text frames, parsed as RFC 6455 specifies. */
function read(bytes: Buffer): string[] {
  const texts: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    expect(bytes[at]).toBe(0x81);
    const short = bytes[at + 1] as number;
    const length =
      short === 127 ? Number(bytes.readBigUInt64BE(at + 2)) : short === 126 ? bytes.readUInt16BE(at + 2) : short;
    // A length uses the shortest of its three forms.
    expect(short).toBe(length < 126 ? length : length < 65_536 ? 126 : 127);
    const start = at + (short === 127 ? 10 : short === 126 ? 4 : 2);
    texts.push(bytes.toString('utf8', start, start + length));
    at = start + length;
  }
  return texts;
}

describe('a text frame', () => {
  it.each([0, 1, 125, 126, 65_535, 65_536, 200_000])('of %i bytes is parsed to its text', (length) => {
    expect(read(textFrame('x'.repeat(length)))).toEqual(['x'.repeat(length)]);
  });

  it('counts bytes, not characters, and can be joined with others into one write', () => {
    const texts = ['é'.repeat(63), '\u{1f32b}'.repeat(40), 'a'];
    expect(read(Buffer.concat(texts.map(textFrame)))).toEqual(texts);
  });
});
