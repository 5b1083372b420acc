import { describe, expect, it } from 'vitest';
import { AnswerText, readPlace, readSaying } from './expectation.js';

const NO_FILE = 'names no file: write its path from the project, with `/` and without `..`';
const NO_LINES = 'names no lines: write them as `start-end`, counted from 1';

describe('readPlace', () => {
  it.each<[string, ReturnType<typeof readPlace>]>([
    ['src/a.ts', { path: 'src/a.ts', lines: undefined }],
    ['src/a.ts:1', { path: 'src/a.ts', lines: { start: 1, end: 1 } }],
    ['src/a.ts:12-12', { path: 'src/a.ts', lines: { start: 12, end: 12 } }],
    ['src/a.ts:12-1234567', { path: 'src/a.ts', lines: { start: 12, end: 1_234_567 } }],
    ['ab:1:2', { path: 'ab:1', lines: { start: 2, end: 2 } }],
    ['src/a.ts:12345678', { path: 'src/a.ts:12345678', lines: undefined }],
    ['src/a.ts:x', { path: 'src/a.ts:x', lines: undefined }],
    ['src/a.ts:1-', { path: 'src/a.ts:1-', lines: undefined }],
    ['', NO_FILE],
    ['../a.ts:1', NO_FILE],
    ['/a.ts', NO_FILE],
    ['src/a.ts:0', NO_LINES],
    ['src/a.ts:0-3', NO_LINES],
    ['src/a.ts:13-12', NO_LINES],
  ])('reads %j', (text, place) => {
    expect(readPlace(text)).toEqual(place);
  });
});

describe('readSaying', () => {
  const isSaid = (text: string, answer: string) => {
    const saying = readSaying(text);
    return typeof saying === 'string' ? saying : saying(new AnswerText(answer));
  };

  it.each([
    ['Port', 'the port', true],
    ['two\n  words', 'Two \t words', true],
    ['"Port"', 'the port', true],
    ['" port "', 'the port', true],
    ['say "port"', 'say "port"', true],
    ['say "port"', 'port', false],
    ['"port" twice', '"port" twice', true],
    ['"port" twice', 'port', false],
    ['/p[o0]rt/', 'the port', true],
    ['/p[o0]rt/', 'the Port', false],
    ['/two words/', 'two\n\twords', true],
    ['see /port/', 'see /port/', true],
    ['see /port/', 'port', false],
    ['/port/ here', '/port/ here', true],
    ['/port/ here', 'port', false],
    ['/a/b/', 'a/b', true],
    ['//', 'a // b', true],
  ])('%j is in %j: %s', (text, answer, found) => {
    expect(isSaid(text, answer)).toBe(found);
  });

  it.each([
    ['', 'holds no words'],
    [' \n', 'holds no words'],
    ['" "', 'holds no words'],
    ['/a/gi', 'has the flags `gi`, and a pattern takes none'],
    ['x'.repeat(1_001), 'is longer than 1000 characters'],
  ])('refuses a text without a meaning (%#)', (text, reason) => {
    expect(readSaying(text)).toBe(reason);
  });

  it('refuses a pattern that cannot be used, with the reason', () => {
    expect(readSaying('/(?=a)b/')).toMatch(/^holds a pattern that cannot be used: it .*look-around/);
  });

  it('takes a saying of a thousand characters', () => {
    expect(isSaid('x'.repeat(1_000), 'x'.repeat(1_000))).toBe(true);
  });
});

it('an answer is matched as one line', () => {
  const { text, folded } = new AnswerText(' On  Port\n\n8123.\t');
  expect([text, folded]).toEqual(['On Port 8123.', 'on port 8123.']);
});
