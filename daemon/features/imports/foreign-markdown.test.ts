import { describe, expect, it } from 'vitest';
import { isProblem } from '../../storage/members/frontmatter.js';
import { editedMarkdownAgent, listedNames, markdownAgentText, readMarkdownAgent } from './foreign-markdown.js';

const MENDED = 'A line holds an unquoted `: ` or the like: it was read as one line of text, as the tool does.';

function read(text: string) {
  const agent = readMarkdownAgent(text);
  if (isProblem(agent)) throw new Error(agent.reason);
  return agent;
}

describe('a Markdown agent', () => {
  it('has its keys and its prompt', () => {
    const text = '---\nname: a\n---\n\nB\n';
    expect(read(text)).toEqual({
      text,
      data: { name: 'a' },
      body: 'B\n',
      hasFrontmatter: true,
      isTight: false,
      notes: [],
    });
    expect(read('---\nname: a\n---\nB\n')).toMatchObject({ body: 'B\n', isTight: true, hasFrontmatter: true });
    expect(read('B\n')).toEqual({
      text: 'B\n',
      data: {},
      body: 'B\n',
      hasFrontmatter: false,
      isTight: false,
      notes: [],
    });
  });

  it.each<[line: string, value: string]>([
    ['description: Use this: always', 'Use this: always'],
    ['description: Use this:', 'Use this:'],
    ['description:   Use: it  ', 'Use: it'],
    ['description:\tUse: it', 'Use: it'],
    ['description: Say "a: b"', 'Say "a: b"'],
    ['description: a: b # c', 'a: b # c'],
    ['description: a\\b: c', 'a\\b: c'],
  ])('with the line %j is read as one text', (line, value) => {
    const agent = read(`---\nname: a\n${line}\n---\n\nB\n`);
    expect(agent).toMatchObject({ data: { name: 'a', description: value }, body: 'B\n', notes: [MENDED] });
    expect(agent.text).toBe(`---\nname: a\ndescription: ${JSON.stringify(value)}\n---\n\nB\n`);
  });

  it('keeps its line ends as it is mended, and what needs no quotes', () => {
    const agent = read('---\r\nname: plain\r\ndescription: a: b\r\nx-y: "q: r"\r\n---\r\n\r\nB\r\n');
    expect(agent.text).toBe('---\r\nname: plain\r\ndescription: "a: b"\r\nx-y: "q: r"\r\n---\r\n\r\nB\r\n');
    expect(agent.data).toEqual({ name: 'plain', description: 'a: b', 'x-y': 'q: r' });
  });

  it('with a comment in a mended frontmatter keeps the comment as text', () => {
    expect(read('---\nb: a: b\nname: a #c\ntools: x#y\n---\n').data).toEqual({ b: 'a: b', name: 'a #c', tools: 'x#y' });
  });

  it.each([
    ...['"', "'", '[', '{', '|', '>', '&', '*', '!', '#', '%', '@', '`'].map((mark) => `a: ${mark}x: y: z\n  b: c: d`),
    ...['a: b: c\nd: [', ' a: b: c\n d: e: f\n  g', 'a:\n  b: c: d', '1a: b: c', '-a: b: c'],
  ])('with %j is refused as it stands', (yaml) => {
    const text = `---\n${yaml}\n---\n\nB\n`;
    const problem = readMarkdownAgent(text);
    expect(isProblem(problem)).toBe(true);
  });

  it('is refused with the place in the file itself', () => {
    expect(readMarkdownAgent('---\na: b: c\nd: [\n---\nx')).toMatchObject({ line: expect.any(Number) });
    expect(isProblem(readMarkdownAgent('---\na: b\n'))).toBe(true);
  });
});

describe('a list of remote agents', () => {
  it.each<[title: string, yaml: string, names: string[] | undefined]>([
    ['names', '- name: far\n- name: away', ['far', 'away']],
    ['items without a name', '- kind: remote\n- 3\n- name: 4', ['?', '?', '?']],
    ['comments and blank lines before', '\n  \n# a\n  # b\n- name: far', ['far']],
    ['an indented list', '  - name: far', ['far']],
    ['no list', 'name: far\n- a', undefined],
    ['a key that begins with a dash', '-name: far', undefined],
    ['nothing', '', undefined],
    ['a comment only', '# - a', undefined],
    ['a broken list', '- name: [', undefined],
    ['keys after the list', '- a\nb: c', ['?']],
  ])('%s', (_title, yaml, names) => {
    expect(listedNames(`---\n${yaml}\n---\n\nB\n`)).toEqual(names);
  });

  it('stands in a frontmatter only', () => {
    expect([listedNames('- name: far\n'), listedNames('---\n- name: far\n')]).toEqual([undefined, undefined]);
  });
});

describe('a new Markdown agent', () => {
  it.each<[title: string, data: object, body: string, isTight: boolean, text: string]>([
    ['keys, a blank line and the prompt', { a: 'x', b: null }, 'B\n', false, '---\na: x\nb: null\n---\n\nB\n'],
    ['no blank line where there was none', { a: 'x' }, 'B\n', true, '---\na: x\n---\nB\n'],
    ['a blank line of the prompt', { a: 'x' }, '\nB\n', true, '---\na: x\n---\n\n\nB\n'],
    ['a blank line of the prompt, of Windows', { a: 'x' }, '\r\nB\n', true, '---\na: x\n---\n\n\r\nB\n'],
    ['no keys', {}, 'B\n', true, 'B\n'],
    ['no keys before what looks like some', {}, '---\nB\n', false, '---\n---\n\n---\nB\n'],
    ['no keys before a mark of the byte order', {}, '\uFEFFB\n', false, '---\n---\n\n\uFEFFB\n'],
    ['no prompt', { a: 'x' }, '', true, '---\na: x\n---\n'],
  ])('has %s', (_title, data, body, isTight, text) => {
    expect(markdownAgentText({ ...data }, body, isTight)).toBe(text);
  });
});

describe('an edited Markdown agent', () => {
  const text = '---\nname: a # first\nb: 1\nc: [x]\n---\nB\n';

  it('keeps all that is not changed', () => {
    const agent = read(text);
    expect(editedMarkdownAgent(agent, agent.data, 'B\n')).toBe(text);
    expect(editedMarkdownAgent(agent, { ...agent.data, b: 2 }, 'B\n')).toBe(text.replace('b: 1', 'b: 2'));
    expect(editedMarkdownAgent(agent, { name: 'a', c: ['x'] }, 'B\n')).toBe(text.replace('b: 1\n', ''));
    expect(editedMarkdownAgent(agent, { ...agent.data, d: 'new' }, 'C\n')).toBe(
      text.replace('c: [x]\n', 'c: [x]\nd: new\n').replace('B\n', 'C\n'),
    );
  });

  it('is none where the text cannot be edited', () => {
    const agent = { ...read(text), text: '---\nname: [\n---\n' };
    expect(editedMarkdownAgent(agent, { name: 'b' }, 'B\n')).toBeUndefined();
  });
});
