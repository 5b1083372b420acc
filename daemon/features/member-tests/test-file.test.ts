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
    ['', 1, 'is empty'],
    ['\n \n', 1, 'is empty'],
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

  it.each<[string, string]>([
    ['# A\n', 'There is no question: write one as a heading that begins with `## `.'],
    [
      '## A?\n',
      'Nothing is expected of the answer: list `cites: path:start-end`, `says: words`, `never says: words` or ' +
        '`not found` under the question.',
    ],
    ['- says: a\n', 'An expectation stands before the first question.'],
    [
      '## A?\nand b\n',
      'Under a question stands only a list of `cites: path:start-end`, `says: words`, `never says: words` or ' +
        '`not found`.',
    ],
    ['##\t\n', 'The question is empty.'],
    [`## ${'x'.repeat(16_385)}\n`, 'A question has at most 16384 characters.'],
    ['## A?\n- says: a\n##  A?\n', 'This question stands in the file already: put the expectations of both under one.'],
    [
      '## A?\n- b: c\n',
      '`b: c` is not an expectation: write `cites: path:start-end`, `says: words`, `never says: words` or `not found`.',
    ],
    ['## A?\n- not found: x\n', '`not found` stands alone: what else is expected is a line of its own.'],
    [
      '## A?\n- cites: a\n- not found\n',
      'An answer that is `not found` cites nothing: keep one of `cites` and `not found`.',
    ],
    ['## A?\n- cites:\n', '`cites` needs a file, as `path`, `path:line` or `path:start-end`.'],
    [`## A?\n- cites: ${'x'.repeat(1_001)}\n`, `\`cites: ${'x'.repeat(79)}…\` is too long.`],
    ['## A?\n- cites: /a\n', '`cites: /a` names no file: write its path from the project, with `/` and without `..`.'],
    ['## A?\n- cites\n', '`cites` needs a file, as `path`, `path:line` or `path:start-end`.'],
    ['## A?\n- says\n', '`says` needs words, or a `/pattern/`.'],
    [
      '## A?\n-\n',
      '`` is not an expectation: write `cites: path:start-end`, `says: words`, `never says: words` or `not found`.',
    ],
    ['## A?\n- never says:\n', '`never says` needs words, or a `/pattern/`.'],
    ['## A?\n- says: ""\n- says: " "\n', '`says: " "` holds no words.'],
    ['---\nblocks_exposure: 1\n---\n', '`blocks_exposure` must be true or false.'],
    [
      '---\nblocks_exposure: true\nblocks: true\n---\n',
      'The key `blocks` is not known here: the frontmatter of tests holds `blocks_exposure` only.',
    ],
  ])('says what is wrong (%#)', (text, reason) => {
    expect(readTestFile(text).problem?.reason).toBe(reason);
  });

  it('takes a question of 16384 characters, a place of 1000, and shows 80 of an item that is none', () => {
    const question = 'x'.repeat(16_384);
    expect(readTestFile(`## ${question}\n- cites: ${'y'.repeat(1_000)}\n`)).toMatchObject({
      ...{ problem: undefined, tests: [{ question, cites: ['y'.repeat(1_000)] }] },
    });
    const shown = (item: string) => readTestFile(`## A?\n- ${item}\n`).problem?.reason.split('` is')[0];
    expect(shown('🦉'.repeat(80))).toBe(`\`${'🦉'.repeat(80)}`);
    expect(shown('🦉'.repeat(81))).toBe(`\`${'🦉'.repeat(79)}…`);
  });

  it('ignores comments of one line and of several, under a question as well as before it', () => {
    const text = '<!-- one -->\n  <!-- of\n- says: a\nlines --> and this\n## A?\n<!-- x\n## B?\n-->\n- says: a\n';
    expect(readTestFile(text)).toMatchObject({ problem: undefined, tests: [{ question: 'A?', says: ['a'] }] });
  });

  it.each(['- says: a', '*  SAYS : a', '+ never  says: a', '- cites: a', '-\tnot found', '- Not Found'])(
    'refuses the expectation %j before the first question',
    (line) => {
      expect(readTestFile(`${line}\n## A?\n- says: a\n`).problem).toMatchObject({ line: 1 });
    },
  );

  it.each(['says: a', '- it says: a', '- not found here', '-says: a', '- never', '1. says: a'])(
    'allows the words %j there',
    (line) => {
      expect(readTestFile(`${line}\n## A?\n- says: a\n`).problem).toBeUndefined();
    },
  );

  it('reads a question and its expectations whatever stands around them', () => {
    expect(readTestFile('##\t A?  \n  *  SAYS :  a: b  \n\n+ Not Found \n-\tNever Says: c\n').tests).toEqual([
      { question: 'A?', cites: [], says: ['a: b'], never_says: ['c'], not_found: true },
    ]);
  });

  it('takes `##` without a space for no question', () => {
    expect(readTestFile('##A?\n- says: a\n').problem).toMatchObject({ line: 2 });
    expect(readTestFile('## A?\n- says: a\n##B?\n').problem).toMatchObject({ line: 3 });
  });

  it('counts the kinds of expectations together, and the patterns of both kinds', () => {
    const mixed = '- cites: a\n- says: a\n- never says: b\n'.repeat(10);
    expect(readTestFile(`## A?\n${mixed}- cites: a\n- cites: a\n`).problem).toBeUndefined();
    expect(readTestFile(`## A?\n${mixed}- cites: a\n- cites: a\n- says: a\n`).problem).toMatchObject({
      ...{ line: 34, reason: 'A question has at most 32 expectations.' },
    });
    const patterns = (count: number) =>
      Array.from(
        { length: count },
        (_, n) => `${n % 20 === 0 ? `## ${n}?\n` : ''}- ${n % 2 ? 'never ' : ''}says: /a/\n`,
      );
    expect(readTestFile(patterns(200).join('')).problem).toBeUndefined();
    expect(readTestFile(`${patterns(200).join('')}- says: a\n`).problem).toBeUndefined();
    expect(readTestFile(patterns(201).join('')).problem?.reason).toBe('A file has at most 200 patterns.');
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
