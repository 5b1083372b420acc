import { describe, expect, it } from 'vitest';
import { readTestFile } from './test-file.js';

const GOOD = `---
blocks_exposure: true
---

# What the lamp must answer

Anything may stand here, - with dashes too.
- and a list of no expectations

<!-- and
## no question in here
-->
## On which port does it listen?

- cites: README.md:5-9
- cites: src/server.ts
* says: port 8123
- says: /8[0-9]{3}/
+ Never says: "not found"

## Which parrot does the captain keep?
<!-- none -->
- not found
`;

describe('readTestFile', () => {
  it('returns the questions, each with its expectations', () => {
    expect(readTestFile(GOOD)).toEqual({
      blocksExposure: true,
      problem: undefined,
      tests: [
        {
          question: 'On which port does it listen?',
          cites: ['README.md:5-9', 'src/server.ts'],
          says: ['port 8123', '/8[0-9]{3}/'],
          never_says: ['"not found"'],
          not_found: false,
        },
        { question: 'Which parrot does the captain keep?', cites: [], says: [], never_says: [], not_found: true },
      ],
    });
  });

  it('accepts CRLF line ends and a byte order mark', () => {
    expect(readTestFile(`\uFEFF${GOOD.replaceAll('\n', '\r\n')}`)).toEqual(readTestFile(GOOD));
  });

  it.each([
    ['', 1, 'no question'],
    ['# Title\n\nNothing else.\n', 1, 'no question'],
    ['## A?\n\n- says: a\n\n## B?\n', 5, 'Nothing is expected'],
    ['## A?\n- says: a\n## A?\n- says: b\n', 3, 'stands in the file already'],
    ['##\n- says: a\n', 1, 'The question is empty'],
    ['- says: a\n## A?\n- says: a\n', 1, 'before the first question'],
    ['## A?\n- say: a\n', 2, 'is not an expectation'],
    ['## A?\n- a\n', 2, 'is not an expectation'],
    ['## A?\nsays: a\n', 2, 'stands only a list'],
    ['## A?\n### B\n', 2, 'stands only a list'],
    ['## A?\n- says:\n', 2, 'needs words'],
    ['## A?\n- says: ""\n- says: "  "\n', 3, 'holds no words'],
    [`## A?\n- says: ${'x'.repeat(1_001)}\n`, 2, 'is longer than'],
    ['## A?\n- cites:\n', 2, 'needs a file'],
    ['## A?\n- cites: ../README.md\n', 2, 'names no file'],
    ['## A?\n- cites: /etc/passwd\n', 2, 'names no file'],
    ['## A?\n- cites: src\\a.ts\n', 2, 'names no file'],
    ['## A?\n- cites: a.ts:0-3\n', 2, 'names no lines'],
    ['## A?\n- cites: a.ts:9-3\n', 2, 'names no lines'],
    ['## A?\n- cites: a.ts\n- not found\n', 3, 'keep one of'],
    ['## A?\n- not found\n- cites: a.ts\n', 3, 'keep one of'],
    ['## A?\n- not found: here\n', 2, 'stands alone'],
    ['## A?\n- says: /(/\n', 2, 'no regular expression'],
    ['## A?\n- says: /(?=a)b/\n', 2, 'look-around'],
    ['## A?\n- says: /a/i\n', 2, 'takes none'],
    ['---\nblocks_exposure: yes please\n---\n## A?\n- says: a\n', 2, 'must be true or false'],
    ['---\nblock_exposure: true\n---\n## A?\n- says: a\n', 2, 'is not known here'],
    ['---\nblocks_exposure: [\n---\n## A?\n- says: a\n', 3, 'end with a ]'],
    ['---\nblocks_exposure: false\n\n## A?\n', 1, 'never closed'],
    ['---\nblocks_exposure: false\n---\n\n\n## A?\n- nothing\n', 7, 'is not an expectation'],
  ])('reports the line of a mistake (%#)', (text, line, reason) => {
    const { problem, tests } = readTestFile(text);
    expect(problem).toMatchObject({ line, reason: expect.stringContaining(reason) });
    expect(tests).toEqual([]);
  });

  it('blocks exposure when `blocks_exposure` cannot be determined, but not for a later mistake', () => {
    expect(readTestFile('---\nblocks_exposure: {\n---\n## A?\n- says: a\n').blocksExposure).toBe(true);
    expect(readTestFile('---\nblock_exposure: true\n---\n## A?\n- says: a\n').blocksExposure).toBe(true);
    expect(readTestFile('## A?\n- say: a\n').blocksExposure).toBe(false);
    expect(readTestFile('---\nblocks_exposure: true\n---\n## A?\n- say: a\n').blocksExposure).toBe(true);
  });

  it('accepts at most 100 questions with 32 expectations each, and 200 patterns', () => {
    const questions = (count: number) =>
      Array.from({ length: count }, (_, n) => `## Question ${n}?\n- says: a\n`).join('');
    expect(readTestFile(questions(100))).toMatchObject({ problem: undefined, tests: { length: 100 } });
    expect(readTestFile(questions(101)).problem).toMatchObject({
      line: 201,
      reason: expect.stringContaining('at most 100'),
    });
    expect(readTestFile(`## A?\n${'- says: a\n'.repeat(33)}`).problem).toMatchObject({
      line: 34,
      reason: expect.stringContaining('at most 32'),
    });
    const patterns = Array.from({ length: 7 }, (_, n) => `## Question ${n}?\n${'- says: /a/\n'.repeat(32)}`).join('');
    expect(readTestFile(patterns).problem?.reason).toContain('at most 200 patterns');
  });

  it('does not throw and takes bounded time for any text', () => {
    const hostile = [
      `## ${' '.repeat(200_000)}\u2028`,
      `## A?\n- says:${' '.repeat(200_000)}\u2028\u2029x`,
      `## A?\n- ${'cites: a'.repeat(20_000)}`,
      `## A?\n- says: /${'(a*)*'.repeat(150)}b/`,
      `## A?\n- says: /${'(?:a{1,900}){1,900}'}/`,
      '<!--'.repeat(60_000),
      `---\n${'a: &a [*a, *a]\n'.repeat(50)}---\n`,
      '\u0000## A?\n- says: \u0000',
      `## A?\n- cites: ${'a/'.repeat(400)}:1-2:3`,
    ];
    for (const text of hostile) expect(() => readTestFile(text)).not.toThrow();
  });

  it('quotes no secret in a reason', () => {
    const { problem } = readTestFile(`## A?\n- token mk_${'a1'.repeat(16)}\n`);
    expect(problem?.reason).toContain('is not an expectation');
    expect(problem?.reason).not.toContain('a1a1');
  });
});
