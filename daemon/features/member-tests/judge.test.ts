import { describe, expect, it } from 'vitest';
import type { Citation, CitationStatus } from '../../contract/asks.js';
import type { MemberTest } from '../../contract/member-tests.js';
import { judge } from './judge.js';

const test = (expected: Partial<MemberTest>): MemberTest => ({
  question: 'Where?',
  cites: [],
  says: [],
  never_says: [],
  not_found: false,
  ...expected,
});
const citation = (
  path: string,
  start_line: number,
  end_line: number,
  status: CitationStatus = 'checked',
): Citation => ({
  path,
  start_line,
  end_line,
  commit: null,
  sha256: '',
  quote: '',
  status,
});
const cited = [
  citation('src/a.ts', 10, 20),
  citation('docs/b.md', 1, 3, 'moved'),
  citation('src/c.ts', 5, 5, 'dropped'),
];

describe('cites', () => {
  it.each([
    ['src/a.ts', true],
    ['src/a.ts:10', true],
    ['src/a.ts:20-40', true],
    ['src/a.ts:1-10', true],
    ['src/a.ts:12-13', true],
    ['src/a.ts:21-40', false],
    ['src/a.ts:1-9', false],
    ['docs/b.md:2', true],
    ['src/c.ts', false],
    ['src/c.ts:5', false],
    ['a.ts', false],
    ['SRC/a.ts', false],
  ])('expects %s, which is %s for a valid citation that overlaps these lines', (place, isMet) => {
    const failures = judge(test({ cites: [place] }), { text: 'It is there.', citations: cited });
    expect(failures).toEqual(isMet ? [] : [`Does not cite ${place}; it cites src/a.ts:10-20, docs/b.md:1-3.`]);
  });

  it('reports when there is no valid citation, and shortens a long list', () => {
    const none = judge(test({ cites: ['a'] }), { text: '', citations: [] });
    expect(none).toEqual(['Does not cite a; it cites nothing that stands.']);
    const many = Array.from({ length: 9 }, (_, n) => citation(`f${n}`, 1, 1));
    expect(judge(test({ cites: ['a'] }), { text: '', citations: many })[0]).toMatch(/f4:1-1 and 4 more\.$/);
    expect(judge(test({ cites: ['a'] }), { text: '', citations: many.slice(0, 5) })).toEqual([
      'Does not cite a; it cites f0:1-1, f1:1-1, f2:1-1, f3:1-1, f4:1-1.',
    ]);
  });

  it('is not met by a place that cannot be read', () => {
    expect(judge(test({ cites: ['src/a.ts:0'] }), { text: '', citations: cited })).toHaveLength(1);
  });
});

describe('says and never says', () => {
  const text = 'It listens on  **Port**\n 8123,\tnot on "Ünder" [x].';
  it.each([
    ['port', true],
    ['8123, not on', true],
    ['LISTENS ON **port** 8123', true],
    ['ünder', true],
    ['"[x]."', true],
    ['/8[0-9]{3}/', true],
    ['/Port/', true],
    ['/\\*\\* 8123/', true],
    ['/^It .* \\[x\\]\\.$/', true],
    ['port 8123', false],
    ['/port$/', false],
    ['/PORT/', false],
    ['nowhere', false],
  ])('matches %s: %s', (words, isSaid) => {
    const answer = { text, citations: [] };
    expect(judge(test({ says: [words] }), answer)).toHaveLength(isSaid ? 0 : 1);
    expect(judge(test({ never_says: [words] }), answer)).toHaveLength(isSaid ? 1 : 0);
  });

  it('report the missing and the forbidden words', () => {
    const failures = judge(test({ says: ['dawn', '/d[au]sk/'], never_says: ['port'] }), {
      text: 'On a port.',
      citations: [],
    });
    expect(failures).toEqual([
      'Does not say "dawn".',
      'Does not say /d[au]sk/.',
      'Says "port", which it must never say.',
    ]);
  });

  it('are quoted, unless they are in quotation marks or a pattern already', () => {
    const says = ['say "a"', '"a b"', '/a b/', 'a/b'];
    expect(judge(test({ says }), { text: '', citations: [] })).toEqual([
      'Does not say "say "a"".',
      'Does not say "a b".',
      'Does not say /a b/.',
      'Does not say "a/b".',
    ]);
  });

  it('fail with the reason when they cannot be read', () => {
    const failures = judge(test({ says: [' '], never_says: ['/a/i'] }), { text: 'a', citations: [] });
    expect(failures).toEqual(['" " holds no words.', '/a/i has the flags `i`, and a pattern takes none.']);
  });

  it('fail instead of blocking on a pattern that takes too long', () => {
    const answer = { text: 'a'.repeat(200_000), citations: [] };
    const slow = '/(?:a|a|a|a|a|a|a|a|a|a|a|a){1,40}b/';
    expect(judge(test({ never_says: [slow] }), answer)).toEqual([
      expect.stringContaining('takes too long on this text'),
    ]);
    expect(judge(test({ says: [slow] }), answer)).toEqual([expect.stringContaining('takes too long on this text')]);
  });
});

describe('not found', () => {
  it.each([
    'Not found in this project.\nLooked for: parrot.',
    'The project does not say which parrot.',
    'This repository doesn’t contain a parrot.',
    'There is nothing about parrots in this project.',
    'I could not find any mention of a parrot in the repository.',
    'A parrot is not mentioned anywhere in this codebase.',
    'A parrot is not to be found any where in the code.',
    'There is nothing in the code base.',
    'I can’t find one in the project.',
    'I did not find a parrot, a cockatoo or any other bird at all in this repository.',
  ])('is satisfied by %j without citations', (text) => {
    expect(judge(test({ not_found: true }), { text, citations: [] })).toEqual([]);
  });

  it.each([
    'The parrot is called Ada.',
    'I do not know.',
    '',
    'It is not found in the cage.',
    'There is nothing at all that is better than the parrot in this project.',
    'The project does say which parrot.',
    'I could find a parrot in the project.',
  ])('is not satisfied by %j', (text) => {
    expect(judge(test({ not_found: true }), { text, citations: [] })).toEqual([
      'Does not say that this is not found in the project.',
    ]);
  });

  it('is not satisfied by an answer with citations, except dropped ones', () => {
    const text = 'Not found in this project.';
    expect(judge(test({ not_found: true }), { text, citations: cited })).toEqual([
      'Cites src/a.ts:10-20, docs/b.md:1-3, though the project does not hold the answer.',
    ]);
    expect(judge(test({ not_found: true }), { text, citations: [citation('a', 1, 1, 'dropped')] })).toEqual([]);
  });

  it('uses the words of `says` instead of the built-in phrases, in any language', () => {
    const german = test({ not_found: true, says: ['nicht im Projekt'] });
    expect(judge(german, { text: 'Das steht nicht im Projekt.', citations: [] })).toEqual([]);
    expect(judge(german, { text: 'Er heißt Ada.', citations: [] })).toEqual(['Does not say "nicht im Projekt".']);
  });
});
