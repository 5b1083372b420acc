import { describe, expect, it } from 'vitest';
import { isProblem } from './frontmatter.js';
import { getOffset, parseYaml } from './frontmatter-yaml.js';

const read = (text: string) => {
  const parsed = parseYaml(text);
  if (isProblem(parsed)) throw new Error(parsed.reason);
  return parsed;
};

describe('a frontmatter that is broken', () => {
  it.each<[string, string, number, number]>([
    ['an open quote, where it opens', '---\na: "x"\nb: "open\nc: 1\n', 3, 4],
    ['an open single quote', "---\na: 'x'\nb: 'open\nc: 1\n", 3, 4],
    ['an open quote of a key', '---\na: 1\n"open: 1\n', 3, 1],
    ['an open quote in brackets', '---\na: ["x", "open\n', 2, 10],
    ['the first of two open quotes', '---\na:\n  x: "open\n  y: "open\n', 3, 6],
    ['an open quote before other lines of its indent', '---\na:\n  x: "open\n  - y\n  z: 1\n', 3, 6],
    ['a tag by the name of a quote', '---\na: x\nb: !quote y\n', 3, 4],
    ['a wrong escape, not its quote', '---\na: "one\\qtwo"\n', 2, 8],
    ['a missing comma, not the quote before it', '---\na: ["x"y]\n', 2, 8],
    ['a missing bracket after a quote', '---\na: ["x"\nb: 1\n', 3, 1],
  ])('is reported with the place of %s', (_case, text, line, column) => {
    expect(parseYaml(text)).toMatchObject({ line, column });
  });

  it('is reported with a reason of one line, without a copy of the text', () => {
    expect(parseYaml('---\na: "open\n')).toEqual({ line: 2, column: 4, reason: 'Missing closing "quote' });
    expect(parseYaml('---\na: [x\nb: 1\n')).toMatchObject({ reason: expect.stringMatching(/^.+$/) });
  });
});

it('reads a text of nothing as no keys', () => {
  expect(read('').data).toEqual({});
  expect(read('---\n').data).toEqual({});
});

it('limits the indent of a line, not the spaces within it', () => {
  expect(read(`---\na: "x${' '.repeat(300)}y"\n`).data).toEqual({ a: `x${' '.repeat(300)}y` });
  expect(read(`---\na:\n${' '.repeat(200)}b: 1\n`).data).toEqual({ a: { b: 1 } });
  expect(parseYaml(`---\na:\n${' '.repeat(201)}b: 1\n`)).toMatchObject({ line: 3, column: 201 });
});

describe('the place of a value', () => {
  const TEXT = '---\na: 1\n? alone\nempty:\nlist: [p, {q, r: 2}]\n';

  it.each<[string[], string]>([
    [['a'], '1'],
    [['alone'], 'alone'],
    [['empty'], 'empty'],
    [['list'], '[p'],
    [['list', '0'], 'p,'],
    [['list', '1', 'q'], 'q,'],
    [['list', '1', 'r'], '2}'],
    [['list', '9'], '[p'],
    [['list', '9', 'x'], '[p'],
    [['list', '1', 'none', 'x'], '{q'],
    [['none'], 'a: 1'],
    [['a', 'none'], '1'],
    [['alone', 'none'], 'alone'],
  ])('at %j, or the nearest around it, is found', (path, there) => {
    const offset = getOffset(read(TEXT).document, path);
    expect(TEXT.slice(offset, offset + there.length)).toBe(there);
  });
});
