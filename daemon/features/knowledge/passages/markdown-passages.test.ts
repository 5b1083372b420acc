import { describe, expect, it } from 'vitest';
import { isInFence, markdownPassages } from './markdown-passages.js';
import { type Passage, splitIntoWindows } from './passage-windows.js';
import { splitPassages } from './passages.js';

const render = (passages: readonly Passage[]) =>
  passages.map(({ startLine, endLine, kind, title }) => `${startLine}-${endLine} ${kind} ${title}`.trimEnd());
const split = (text: string) => render(markdownPassages(text.split('\n')));
/** Lines that make a section long enough to stand alone. */
const BODY = '\nx\nx\nx\nx';

describe('the title of a section', () => {
  it.each<[string, string]>([
    ['# Lamp', 'Lamp'],
    ['######  Lamp on', 'Lamp on'],
    ['   ## Lamp on', 'Lamp on'],
    ['# Lamp ##  ', 'Lamp'],
    ['# Lamp#', 'Lamp#'],
    ['# C# lamp', 'C# lamp'],
    ['# <a name="x"></a>Lamp <b>on</b>', 'Lamp on'],
    ['# a < b', 'a < b'],
    ['# ![x](y) Lamp ![x](y(z)w)', 'Lamp'],
    ['# [Lamp](x) [on](y(z)w) [](z)', 'Lamp on'],
    ['# [Lamp]', '[Lamp]'],
    ['# `Lamp` **on**', 'Lamp on'],
    [`# ${'a'.repeat(130)}`, 'a'.repeat(120)],
    [`# ${'`'.repeat(390)}${'a'.repeat(20)}`, 'a'.repeat(8)],
    ['Lamp\n===', 'Lamp'],
    ['   Lamp\n   =  ', 'Lamp'],
    ['Lamp\n---', 'Lamp'],
  ])('%j: %s', (heading, title) => {
    expect(split(`${heading}${BODY}`)[0]?.replace(/^\S+ section ?/, '')).toBe(title);
  });

  it.each([
    '#Lamp',
    '#  ',
    '####### Lamp',
    '    # Lamp',
    'x # Lamp',
    'Lamp\n--',
    'Lamp\n=-',
    'Lamp\n    ===',
    '    Lamp\n===',
  ])('is none of %j', (line) => expect(split(`${line}${BODY}`)[0]).toMatch(/^1-\d+ section$/));

  it.each(['> Lamp', '| Lamp', '# Lamp', '* Lamp', '+ Lamp', '- Lamp'])('is none of an underlined %j', (line) => {
    expect(split(`${BODY}\n\n\n\n${line}\n===${BODY}`).filter((one) => one.includes('> Lamp >'))).toEqual([]);
    expect(split(`x${BODY}\n\n${line}\n---${BODY}`)).toHaveLength(line.startsWith('#') ? 2 : 1);
  });

  it('is none of the last line of a paragraph', () => {
    expect(split(`x\nLamp\n===${BODY}`)).toEqual(['1-7 section']);
    expect(split(`x${BODY}\n\nLamp\n===${BODY}`)).toEqual(['1-6 section', '7-12 section Lamp']);
  });

  it('has the headings above it', () => {
    expect(split(`# A${BODY}\n## B${BODY}\n### C${BODY}\n## D${BODY}\n\nE\n---${BODY}\n\nF\n===${BODY}`)).toEqual([
      '1-5 section A',
      '6-10 section A > B',
      '11-15 section A > B > C',
      '16-21 section A > D',
      '22-28 section A > E',
      '29-34 section F',
    ]);
  });

  it('may be indented by three spaces', () => {
    expect(split(`x${BODY}\n   # Lamp${BODY}`).map((one) => one.split(' ')[0])).toEqual(['1-5', '6-10']);
  });
});

describe('a block of code', () => {
  it.each<[string, string]>([
    ['```', '```'],
    ['~~~', '~~~'],
    ['   ```sh', '```'],
    ['````', '`````'],
    ['~~~~ x', '   ~~~~  '],
  ])('from %j to %j holds no heading', (open, close) => {
    expect(split(`x${BODY}\n${open}\n# A\n${close}\n# B${BODY}`)).toEqual(['1-8 section', '9-13 section B']);
  });

  it.each<[string, string]>([
    ['```', '~~~'],
    ['````', '```'],
    ['```', '``` x'],
    ['```', '    ```'],
    ['```', 'x'],
  ])('from %j does not end at %j', (open, close) => {
    expect(split(`x${BODY}\n${open}\n# A\n${close}\n# B${BODY}`)).toEqual(['1-13 section']);
  });

  it.each(['``', '    ```', 'x ```'])('does not begin at %j', (open) => {
    expect(split(`x${BODY}\n${open}\n# B${BODY}`)).toEqual(['1-6 section', '7-11 section B']);
  });

  it('is told where a passage begins in it', () => {
    expect(isInFence([])).toBe(false);
    expect(isInFence(['```', 'x'])).toBe(true);
    expect(isInFence(['  ~~~sh', 'x', '```'])).toBe(false);
    expect(isInFence(['x ```', '``'])).toBe(false);
    const long = `# A\n\n\`\`\`\n${'x\n'.repeat(60)}\`\`\`\n${'y\n'.repeat(20)}`;
    expect(split(long)).toEqual(['1-40 section A', '41-80 fenced A', '81-85 section A']);
  });
});

describe('a section of fewer than five lines', () => {
  it.each<[string, string, string[]]>([
    ['is joined with the next beside it', `# A\n\n# B${BODY}`, ['1-7 section A / B']],
    ['is joined with those below it', `# A\n\n## B${BODY}`, ['1-7 section A > B']],
    ['is joined with several', '# A\n# B\n## C\n# D', ['1-4 section B > C / D']],
    [
      'is not joined with one above it',
      `# A${BODY}\n## B\n\n# C${BODY}`,
      ['1-5 section A', '6-7 section A > B', '8-12 section C'],
    ],
    [
      'is joined with one beside it, below another',
      `# A${BODY}\n## B\n\n## C${BODY}`,
      ['1-5 section A', '6-12 section A > B / C'],
    ],
    ['before the first heading is joined with it', `x\n\n# A${BODY}`, ['1-7 section A']],
    ['of five lines stands alone', `# A${BODY}\n# B${BODY}`, ['1-5 section A', '6-10 section B']],
    ['of four lines does not', `# A\nx\nx\nx\n# B${BODY}`, ['1-9 section A / B']],
    ['is joined with one of 38 lines', `# A\n# B${'\nx'.repeat(38)}`, ['1-40 section A / B']],
    [
      'and not with one of 40',
      `# A\n# B${'\nx'.repeat(39)}\n# C`,
      ['1-1 section A', '2-41 section B', '42-42 section C'],
    ],
    ['is alone', 'x', ['1-1 section']],
  ])('%s', (_, text, passages) => expect(split(text)).toEqual(passages));
});

describe('a long part is cut', () => {
  const cut = (lines: readonly string[], from = 1, to = lines.length) => splitIntoWindows(lines, from, to);
  const text = (length: number, other: Record<number, string> = {}) =>
    Array.from({ length }, (_, at) => other[at + 1] ?? 'x');

  it.each<[string, string[], [number, number][]]>([
    ['not up to forty lines', text(40), [[1, 40]]],
    [
      'after forty lines',
      text(41),
      [
        [1, 40],
        [41, 41],
      ],
    ],
    [
      'several times',
      text(100),
      [
        [1, 40],
        [41, 80],
        [81, 100],
      ],
    ],
    [
      'at a blank line',
      text(50, { 30: '' }),
      [
        [1, 30],
        [31, 50],
      ],
    ],
    [
      'at the last blank line',
      text(50, { 20: ' ', 30: '\t' }),
      [
        [1, 30],
        [31, 50],
      ],
    ],
    [
      'at the blank line before the least indented one',
      text(50, { 20: '', 30: '', 31: '  x' }),
      [
        [1, 20],
        [21, 50],
      ],
    ],
    [
      'at no blank line that is too early',
      text(50, { 13: '' }),
      [
        [1, 40],
        [41, 50],
      ],
    ],
    [
      'at an early one',
      text(50, { 15: '' }),
      [
        [1, 15],
        [16, 50],
      ],
    ],
    [
      'at the fortieth',
      text(50, { 15: '', 40: '' }),
      [
        [1, 40],
        [41, 50],
      ],
    ],
    [
      'not behind it',
      text(50, { 41: '' }),
      [
        [1, 40],
        [41, 50],
      ],
    ],
  ])('%s', (_, lines, parts) => expect(cut(lines)).toEqual(parts));

  it('from its own beginning to its end', () => {
    expect(cut(text(100, { 30: '' }), 11, 60)).toEqual([
      [11, 30],
      [31, 60],
    ]);
    expect(cut(text(5), 3, 3)).toEqual([[3, 3]]);
    expect(cut(text(5), 3, 2)).toEqual([]);
  });
});

describe('a file is split by its kind', () => {
  const kinds = (path: string, text: string) => render(splitPassages(path, text === '' ? [] : text.split('\n')));

  it.each<[string, string, string[]]>([
    ['a.md', '', []],
    ['a.md', '# A', ['1-1 section A']],
    ['a.MDX', '# A', ['1-1 section A']],
    ['a.markdown', '# A', ['1-1 section A']],
    ['a.md.in', '# A', ['1-1 code']],
    ['a.rst', `A\n===${BODY}\n\nB\n---${BODY}`, ['1-7 text A', '8-13 text A > B']],
    ['a.rst', `x${BODY}\nA\n===${BODY}`, ['1-5 text', '6-11 text A']],
    ['a.rst', 'x\nA\n===', ['1-1 text', '2-3 text A']],
    ['a.rst', `A\n===\n\nB\n---\n\nC\n~~~${BODY}`, ['1-6 text A > B', '7-12 text A > B > C']],
    ['a.rst', `A\n===\nx\nx\nx\nB\n---${BODY}`, ['1-5 text A', '6-11 text A > B']],
    ['a.rst', `A\n===\nx\nx\nB\n---${BODY}`, ['1-10 text A > B']],
    ['a.rst', 'let a;', ['1-1 text']],
    ['a.txt', 'const lamp = 1;', ['1-1 text']],
    ['a.log', 'const lamp = 1;', ['1-1 text']],
    ['a.csv', 'const lamp = 1;', ['1-1 text']],
    ['a.tsv', 'x', ['1-1 text']],
    ['a.1', 'x', ['1-1 text']],
    ['NOTES', 'const lamp = 1;', ['1-1 text']],
    ['x/NOTES', 'const lamp = 1;', ['1-1 text']],
    ['NOTES.x', 'const lamp = 1;', ['1-1 code lamp']],
    ['MyNOTES', 'const lamp = 1;', ['1-1 code lamp']],
    ['a.logs', 'const lamp = 1;', ['1-1 code lamp']],
    ['a.txt', 'x\n'.repeat(49).trimEnd(), ['1-40 text', '41-49 text']],
    ['a.ts', 'const lamp = 1;', ['1-1 code lamp']],
    ['a.yml', 'lamp: 1', ['1-1 code lamp']],
    ['a.yml', '- name: lamp', ['1-1 text lamp']],
  ])('%s: %j', (path, text, passages) => expect(kinds(path, text)).toEqual(passages));
});
