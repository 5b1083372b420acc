import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { isBlob, parseBlobs, parseCommits, parseRawEntries, zeroSeparated } from './git-output.js';

it('parses commits with what stands between them, and skips what is none', () => {
  const first = ['h1', '10', 'Anna', ' One ', '\na.txt', 'b.txt'].join('\0');
  const text = `\x01${first}\x01${['h2', '20', '', 'Two'].join('\0')}`;
  expect(parseCommits(text)).toEqual([
    { commit: { hash: 'h1', at: 10_000, author: 'Anna', subject: 'One' }, rest: ['\na.txt', 'b.txt'] },
    { commit: { hash: 'h2', at: 20_000, author: '', subject: 'Two' }, rest: [] },
  ]);
  expect(parseCommits('')).toEqual([]);
  for (const cut of ['h', 'h\x001', 'h\x001\0Anna']) expect(parseCommits(`\x01${cut}`)).toEqual([]);
});

it('parses the files of a tree, whatever their names, and skips what is no file', () => {
  const entries = ['100644 blob id1\ta b.txt', '100755 blob id2\tc\td', '160000 commit id3\tinner', ''];
  const text = entries.join('\0');
  expect([...parseBlobs(text)]).toEqual([
    ['a b.txt', 'id1'],
    ['c\td', 'id2'],
  ]);
  expect([parseBlobs('').size, parseBlobs('100644 blob').size]).toEqual([0, 0]);
});

it.each(['sha1', 'sha256'])('knows the content of an id of %s by its length and its bytes', (algorithm) => {
  const id = createHash(algorithm).update('blob 3\0é\n').digest('hex');
  expect([isBlob(id, Buffer.from('é\n')), isBlob(id, Buffer.from('é')), isBlob('', Buffer.from(''))]).toEqual([
    ...[true, false, false],
  ]);
});

it('parses what differs with the modes and ids before and after, whatever the paths', () => {
  const raw = [':100644 120000 id1 id2 T', 'a b', ':000000 100755 id3 id4 A', ':c\td', ''].join('\0');
  expect(parseRawEntries(raw)).toEqual([
    { path: 'a b', oldMode: '100644', mode: '120000', oldId: 'id1', id: 'id2' },
    { path: ':c\td', oldMode: '000000', mode: '100755', oldId: 'id3', id: 'id4' },
  ]);
  expect(parseRawEntries('')).toEqual([]);
  expect([zeroSeparated('a\0\0b c\0'), zeroSeparated('')]).toEqual([['a', 'b c'], []]);
});
