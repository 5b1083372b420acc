import { describe, expect, it } from 'vitest';
import type { MemberTest } from '../../contract/member-tests.js';
import { chosenTests, inOrder, requireGoodText, requireRevision } from './test-edits.js';
import type { StoredTests } from './test-files.js';

const refusal = (call: () => unknown) => {
  try {
    return call();
  } catch (error) {
    const { code, message, details } = error as { code: string; message: string; details: object };
    return [code, message, details];
  }
};
const question = (text: string): MemberTest => ({
  ...{ question: text, cites: [], says: ['x'], never_says: [], not_found: false },
});
const TESTS = ['A?', 'B?', 'C?'].map(question);

describe('a text of tests', () => {
  it('has at most 256 KiB of UTF-8', () => {
    const head = '## A?\n- says: a\n<!--  ';
    const text = head + 'é'.repeat((262_144 - head.length) / 2);
    expect(Buffer.byteLength(text)).toBe(262_144);
    expect(refusal(() => requireGoodText(text))).toBeUndefined();
    expect(refusal(() => requireGoodText(`${text}x`))).toEqual([
      'too_large',
      'A file of tests has at most 256 KiB: shorten it.',
      {},
    ]);
  });

  it('has no secret', () => {
    expect(refusal(() => requireGoodText(`## A?\n- says: a\n- says: ghp_${'a'.repeat(36)}\n`))).toEqual([
      'secret_in_member_file',
      'Line 3 holds what looks like a secret (ghp…). Tests are committed: keep secrets out of them.',
      { line: 3 },
    ]);
  });

  it('can be read', () => {
    const reason = 'There is no question: write one as a heading that begins with `## `.';
    expect(refusal(() => requireGoodText('# A\n'))).toEqual([
      'bad_request',
      `Line 1: ${reason}`,
      { path: 'text', problem: { line: 1, column: 1, reason } },
    ]);
  });
});

describe('the revision of an edit', () => {
  const current = (revision: string): StoredTests => ({
    ...{ blocksExposure: false, tests: [], problem: undefined, text: '', revision },
  });

  it.each([
    [undefined, null],
    [current('r1'), 'r1'],
    [current(''), ''],
  ])('is that of the file, or null for none: %#', (stored, revision) => {
    expect(refusal(() => requireRevision(stored, revision))).toBeUndefined();
  });

  it.each<[StoredTests | undefined, string | null, string, string | null]>([
    [undefined, 'r1', 'The file of tests is gone: send `revision: null` to write it anew.', null],
    [current('r1'), null, 'There is a file of tests already: read it, and send its revision with the edit.', 'r1'],
    [current('r2'), 'r1', 'The file of tests has changed since you read it: read it again and repeat the edit.', 'r2'],
  ])('is refused when it is another, with the one to go on from: %#', (stored, revision, message, present) => {
    expect(refusal(() => requireRevision(stored, revision))).toEqual(['file_changed', message, { revision: present }]);
  });
});

describe('the chosen tests', () => {
  it('are all without a choice, else those chosen, each once and in the order of the file', () => {
    expect(chosenTests(TESTS, undefined)).toBe(TESTS);
    expect(chosenTests(TESTS, [2, 0, 2])).toEqual([TESTS[0], TESTS[2]]);
    expect(chosenTests(TESTS, [1, 0])).toEqual([TESTS[0], TESTS[1]]);
    const many = Array.from({ length: 12 }, (_, n) => question(`Question ${n}?`));
    expect(chosenTests(many, [10, 9, 2])).toEqual([many[2], many[9], many[10]]);
  });

  it('are refused when one is none', () => {
    expect(refusal(() => chosenTests(TESTS, [0, 3]))).toEqual([
      'bad_request',
      'There is no question 3: there are 3, counted from 0.',
      { path: 'only' },
    ]);
  });
});

it('results are sorted by the order of their questions in the file', () => {
  const results = ['C?', 'A?', 'B?'].map((text) => ({ question: text }));
  expect(inOrder(TESTS, results).map(({ question }) => question)).toEqual(['A?', 'B?', 'C?']);
  expect(results[0]?.question).toBe('C?');
  expect(inOrder(TESTS, [{ question: 'B?' }, { question: 'gone' }]).map((one) => one.question)).toEqual(['gone', 'B?']);
});
