import { describe, expect, it } from 'vitest';
import { idOf, newKey } from '../../../testing/network-samples.js';
import {
  readSnapshot,
  requireShape,
  type SnapshotHead,
  SnapshotWriter,
  UnusableSnapshotError,
} from './snapshot-format.js';

const NETWORK = 'docks';
const key = newKey();
const HEAD: SnapshotHead = { network: NETWORK, created: 'then', sequence: 7, key: idOf(key) };

type Part = Parameters<SnapshotWriter['line']>[0];
const PARTS: Part[] = [
  { head: HEAD },
  { table: 'posts', columns: ['id', 'body'] },
  { row: [1, 'ü\n"'] },
  { row: [null, Buffer.from([0, 255, 10])] },
  { given: [['posts', 9]] },
];

/** The lines of a snapshot that its maker signed. */
function write(parts: readonly Part[] = PARTS, signer = key): string[] {
  const writer = new SnapshotWriter(signer, NETWORK);
  return [...parts.map((part) => writer.line(part)), writer.end()];
}

async function* chunks(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(text: string, { network = NETWORK, size = 1_000_000 } = {}) {
  const parts = [];
  for await (const part of readSnapshot(chunks(Buffer.from(text), size), network)) parts.push(part);
  return parts;
}

it('is written as lines of JSON that end with a signature', () => {
  expect(write()).toEqual([
    `{"format":1,"network":"docks","created":"then","sequence":7,"key":"${idOf(key)}"}\n`,
    '{"table":"posts","columns":["id","body"]}\n',
    '[1,"ü\\n\\""]\n',
    '[null,{"b":"AP8K"}]\n',
    '{"given":[["posts",9]]}\n',
    expect.stringMatching(/^\{"sig":"[A-Za-z0-9+/]{86}=="\}\n$/),
  ]);
});

it.each([1, 7, 1_000_000])('is read as it was written, in chunks of %i bytes', async (size) => {
  expect(await read(write().join(''), { size })).toEqual(PARTS);
});

it('tells of its head what this version knows', async () => {
  const text = write([{ head: HEAD }])
    .join('')
    .replace('{"format":1', '{"more":1,"format":1');
  const reading = readSnapshot(chunks(Buffer.from(text), 100), NETWORK);
  expect(await reading.next()).toEqual({ done: false, value: { head: HEAD } });
  await expect(reading.next()).rejects.toThrow('its signature is wrong');
});

describe('Unusable', () => {
  const lines = write();
  const all = lines.join('');
  const [head = '', table = '', ...rest] = lines;
  const sig = lines.at(-1) ?? '';

  it.each<[string, string, string]>([
    ['of no line', '', 'it is cut off'],
    ['without its signature', lines.slice(0, -1).join(''), 'it is cut off'],
    ['without its last character', all.slice(0, -1), 'it is cut off'],
    ['changed', all.replace('posts', 'Posts'), 'its signature is wrong'],
    ['signed by another', write(PARTS, newKey()).join(''), 'its signature is wrong'],
    ['signed by no text', [head, '{"sig":7}\n'].join(''), 'its signature is wrong'],
    ['signed before it began', sig, 'its signature is wrong'],
    ['longer than what is signed', `${all}[1]\n`, 'it goes on after its signature'],
    ['signed twice', all + sig, 'it goes on after its signature'],
    ['without a head', [table, ...rest].join(''), 'it does not begin with one head'],
    ['with two heads', [head, head].join(''), 'it does not begin with one head'],
    ['of a newer format', all.replace('"format":1', '"format":2'), 'it does not begin with one head'],
    ['of a sequence below 0', all.replace('"sequence":7', '"sequence":-1'), 'it does not begin with one head'],
    ['with a line that is no JSON', `${head}{\n`, 'one of its lines is no JSON object'],
    ['with a line that is null', `${head}null\n`, 'one of its lines is no JSON object'],
    ['with a line that is a number', `${head}7\n`, 'one of its lines is no JSON object'],
    ['with a line that is nested too deep', `${head}{"given":[[[1]]]}\n`, 'one of its lines is no JSON object'],
    ['with a cell that is true', `${head}[true]\n`, 'it holds a cell that is no value of SQLite'],
    ['with a cell of another form', `${head}[{"c":"AP8K"}]\n`, 'it holds a cell that is no value of SQLite'],
    ['with bytes that are no text', `${head}[{"b":7}]\n`, 'it holds a cell that is no value of SQLite'],
  ])('is a snapshot %s', async (_, text, message) => {
    const reading = read(text);
    await expect(reading).rejects.toThrow(message);
    await expect(reading).rejects.toMatchObject({ name: 'UnusableSnapshotError' });
  });

  it('is a snapshot of another network', async () => {
    await expect(read(all, { network: 'quays' })).rejects.toThrow('its signature is wrong');
  });

  it('is a snapshot with a line of more than 4 Mi characters', async () => {
    const long = 'x'.repeat(4 * 1024 * 1024);
    await expect(read(long)).rejects.toThrow('it is cut off');
    await expect(read(`${long}x`)).rejects.toThrow('one of its lines is too long');
  });
});

it('is of tables that this store shares, with its columns in their order', () => {
  const shape = { table: 'posts', columns: ['id', 'body'], key: ['id'] };
  const part = { table: 'posts', columns: ['id', 'body'] };
  expect(requireShape(part, shape)).toBe(shape);
  expect(() => requireShape(part)).toThrow(new UnusableSnapshotError('it holds a table "posts", which is not shared'));
  for (const columns of [['body', 'id'], ['id'], ['id', 'body', 'more']])
    expect(() => requireShape({ ...part, columns }, shape)).toThrow(
      new UnusableSnapshotError('its table "posts" is of another version of meshd: upgrade the older one'),
    );
});
