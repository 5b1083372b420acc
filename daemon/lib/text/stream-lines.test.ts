import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { readLines } from './stream-lines.js';

async function linesOf(...chunks: readonly (Buffer | string)[]): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of readLines(Readable.from(chunks))) lines.push(line);
  return lines;
}

it('ends a line at a line feed only, and removes a carriage return before it', async () => {
  const separators = '"a\u2028b\u2029c\u0085d\ve\ff"';
  expect(await linesOf(Buffer.from(`${separators}\n1\r\n2\r3\r\r\n\n4\n`))).toEqual([
    separators,
    '1',
    '2\r3\r',
    '',
    '4',
  ]);
});

it('joins lines, line ends and characters that are torn across chunks', async () => {
  const bytes = Buffer.from('é€😀\r\n😀 and on\nend');
  const torn = Array.from(bytes, (byte) => Buffer.from([byte]));
  expect(await linesOf(...torn)).toEqual(['é€😀', '😀 and on', 'end']);
  expect(await linesOf('a', 'é\nb\r', '\nc')).toEqual(['aé', 'b', 'c']);
});

it('yields a last line without an end, and none after an end or for an empty stream', async () => {
  expect(await linesOf(Buffer.from('a\nb\r'))).toEqual(['a', 'b']);
  expect(await linesOf(Buffer.from('a\n'))).toEqual(['a']);
  expect(await linesOf()).toEqual([]);
});

it('turns invalid bytes into U+FFFD, and yields long lines whole', async () => {
  const long = 'x'.repeat(300_000);
  expect(await linesOf(Buffer.from([0x61, 0xff, 0x0a]), Buffer.from(`${long}\n`))).toEqual(['a\ufffd', long]);
});

it('throws what the stream throws, after the lines before', async () => {
  const lines: string[] = [];
  const stream = async function* () {
    yield Buffer.from('a\nb');
    throw new Error('broken');
  };
  const reading = (async () => {
    for await (const line of readLines(stream())) lines.push(line);
  })();
  await expect(reading).rejects.toThrow('broken');
  expect(lines).toEqual(['a']);
});
