import matter from 'gray-matter';
import { describe, expect, it } from 'vitest';
import { Lexer } from 'yaml';
import { findSections, isProblem, lineAt, matterOptions, type ParsedMarkdown, parseMarkdown } from './frontmatter.js';

const parse = (text: string) => parseMarkdown(text) as ParsedMarkdown;
const problem = (text: string) => {
  const result = parseMarkdown(text);
  if (!isProblem(result)) throw new Error(`was read: ${JSON.stringify(result.data)}`);
  return result;
};

describe('parseMarkdown', () => {
  it('returns the keys, the body and the revision', () => {
    const file = parse('---\nname: Ada\ntools: [read]\n---\n\nYou are Ada.\n');
    expect(file.data).toEqual({ name: 'Ada', tools: ['read'] });
    expect(file.body).toBe('You are Ada.\n');
    expect(file.revision).toMatch(/^[0-9a-f]{64}$/);
  });

  it('returns the same for a text that was parsed before, whatever became of the first result', () => {
    const text = '---\nname: Ada\nlimits:\n  turns: 3\n---\nBody';
    const first = parse(text);
    (first.data['limits'] as Record<string, unknown>)['turns'] = 9;
    first.data['name'] = 'Eve';
    const again = parse(text);
    expect(again.data).toEqual({ name: 'Ada', limits: { turns: 3 } });
    expect(again).toMatchObject({ body: first.body, text, revision: first.revision });
    for (const path of [['name'], ['limits', 'turns'], ['nothing']])
      expect(again.locate(path)).toEqual(first.locate(path));
  });

  it.each([
    ['CRLF line endings', '---\r\nname: Ada\r\n---\r\n\r\nBody\r\n', 'Body\r\n'],
    ['a byte order mark', '\uFEFF---\nname: Ada\n---\nBody', 'Body'],
    ['no line after the closing fence', '---\nname: Ada\n---', ''],
    ['spaces after the closing fence', '---\nname: Ada\n---  \nBody', 'Body'],
    ['a rule in the body', '---\nname: Ada\n---\nA\n---\nB', 'A\n---\nB'],
  ])('reads a file with %s', (_case, text, body) => {
    expect(parse(text)).toMatchObject({ data: { name: 'Ada' }, body });
  });

  it.each([
    ['', ''],
    ['Just a prompt.\n', 'Just a prompt.\n'],
    ['----\nA rule first.\n', '----\nA rule first.\n'],
    ['---\n---\nBody', 'Body'],
    ['---\n# only a comment\n---\nBody', 'Body'],
  ])('treats %j as a file without keys', (text, body) => {
    expect(parse(text)).toMatchObject({ data: {}, body });
  });

  it.each(['---js', '---javascript', '---coffee', '---toml', '--- js', '---json', '--- '])(
    'neither parses %j as a language nor executes it',
    (fence) => {
      const canary = globalThis as { ran?: boolean };
      expect(problem(`${fence}\n{ a: (globalThis.ran = true) }\n---\nbody`)).toMatchObject({ line: 1, column: 4 });
      expect(canary.ran).toBeUndefined();
    },
  );

  it.each([
    ['an unclosed frontmatter', '---\nname: Ada\n', 1, 1],
    ['a quote that is never closed', '---\nname: "Ada\nmodel: x\ncolor: red\n---\n', 2, 7],
    ['a tag of another language', '---\nname: Ada\nrun: !!js/function "f()"\n---\n', 3, 6],
    ['the value of a core tag', '---\nname: !!str 7\n---\n', 2, 13],
    ['a directive', '---\n%YAML 1.1\nname: Ada\n---\n', 2, 1],
    ['a repeated key', '---\nname: Ada\nmodel: x\nname: Bob\n---\n', 4, 1],
    ['a repeated key further in', '---\nlimits:\n  turns: 1\n  turns: 2\n---\n', 4, 3],
    ['a tab as indent', '---\nlimits:\n\tturns: 1\n---\n', 3, 1],
    ['a list instead of keys', '---\n- a\n- b\n---\n', 2, 1],
    ['a text instead of keys', '---\njust words\n---\n', 2, 1],
    ['a key that is no text', '---\n? [a, b]\n: c\n---\n', 2, 3],
    ['a second document', '---\na: 1\n...\nb: 2\n---\n', 4, 1],
    ['a broken line after CRLF', '---\r\nname: Ada\r\nmodel: [a\r\nx: y\r\n---\r\n', 4, 1],
  ])('reports the position of %s', (_case, text, line, column) => {
    expect(problem(text)).toMatchObject({ line, column });
  });

  it('reports the same problem each time a broken file is parsed', () => {
    const text = '---\nname: "open\n---\n';
    expect(problem(text)).toEqual(problem(text));
  });

  it.each(['js', 'javascript', 'JS', 'coffee', 'coffeescript', 'cson', 'json', 'toml'])(
    'disables the engine of gray-matter for %s on every call',
    (language) => {
      const canary = globalThis as { ran?: boolean };
      const options = matterOptions(() => ({}));
      const text = `---${language}\n{ a: (globalThis.ran = true) }\n---\nbody`;
      for (const _ of [1, 2]) expect(() => matter(text, options)).toThrow(/no other language|not registered/);
      expect(canary.ran).toBeUndefined();
    },
  );

  it('does not share results among callers that parse the same text', () => {
    const text = '---\ntools: [read]\nlimits: {turns: 1}\n---\nbody';
    const first = parse(text);
    (first.data['tools'] as string[]).push('write');
    first.data['name'] = 'Eve';
    expect(parse(text).data).toEqual({ tools: ['read'], limits: { turns: 1 } });
    expect((matter as unknown as { cache: object }).cache).toEqual({});
  });

  it.each([
    ['a line that starts with dashes', '---\na: |\n  x\n---foo: 1\n---\nbody', { a: 'x\n', '---foo': 1 }],
    ['a comment alone in a file with CRLF', '---\r\n# only\r\n---\r\nbody', {}],
    ['a key called excerpt_separator', '---\nexcerpt_separator: x\n---\nbody', { excerpt_separator: 'x' }],
  ])('reads %s', (_case, text, data) => {
    expect(parse(text)).toMatchObject({ data, body: 'body' });
    expect(Object.keys(parse(text).data)).toEqual(Object.keys(data));
  });

  it('refuses an error in a block of comments', () => {
    expect(problem(`---\n${' '.repeat(300)}# deep\n---\n`)).toMatchObject({ line: 2, column: 201 });
  });

  it('allows 32 aliases and refuses the 33rd', () => {
    const withAliases = (count: number) => `---\na: &a x\nb: [${Array(count).fill('*a').join(', ')}]\n---\n`;
    expect(parse(withAliases(32)).data['b']).toHaveLength(32);
    expect(problem(withAliases(33)).reason).toContain('aliases');
  });

  it('refuses aliases that multiply', () => {
    const names = 'abcdefghi'.split('');
    const bomb = names.map(
      (name, i) =>
        `${name}: &${name} [${Array(i === 0 ? 1 : 3)
          .fill(i === 0 ? 'x' : `*${names[i - 1]}`)
          .join(', ')}]`,
    );
    expect(isProblem(parseMarkdown(`---\n${bomb.join('\n')}\n---\n`))).toBe(true);
  });

  it.each([
    ['brackets', `a: ${'['.repeat(200_000)}`],
    ['closed brackets', `a: ${'['.repeat(60_000)}${']'.repeat(60_000)}`],
    ['braces', `a: ${'{'.repeat(200_000)}`],
    ['lists in lists', '- '.repeat(100_000)],
    ['explicit keys', '? '.repeat(100_000)],
    ['levels', Array.from({ length: 600 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
    ['keys', Array.from({ length: 30_000 }, (_, i) => `k${i}: v`).join('\n')],
    ['entries', `a: [${'x, '.repeat(80_000)}]`],
    ['anchors', '&a '.repeat(80_000)],
    ['blank lines', `a: b\n${'\n'.repeat(250_000)}c: d`],
    ['lines of spaces', `a: b\n${`${' '.repeat(60)}\n`.repeat(4_000)}c: d`],
    ['line separators', `a: "${'\u2028'.repeat(80_000)}"`],
  ])('refuses a quarter of a megabyte of %s quickly, without exhausting the stack', (_case, yaml) => {
    // The best of three runs, so that other load on the machine does not count.
    const took = [1, 2, 3].map(() => {
      const started = performance.now();
      expect(isProblem(parseMarkdown(`---\n${yaml}\n---\n`))).toBe(true);
      return performance.now() - started;
    });
    expect(Math.min(...took)).toBeLessThan(500);
  });

  it('keeps keys named __proto__ and constructor harmless', () => {
    const file = parse('---\n__proto__: {admin: true}\nconstructor: {prototype: {admin: true}}\nname: Ada\n---\n');
    expect(file.data['name']).toBe('Ada');
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
    expect((file.data as { admin?: boolean }).admin).toBeUndefined();
  });

  it('reads YAML 1.2 core: yes, no and dates are text', () => {
    expect(parse('---\na: yes\nb: no\nc: 2026-11-21\nd: 0o17\ne: 1e3\n<<: x\n---\n').data).toEqual({
      a: 'yes',
      b: 'no',
      c: '2026-11-21',
      d: 15,
      e: 1000,
      '<<': 'x',
    });
  });

  it('locates values in the file', () => {
    const file = parse('---\nname: Ada\nlimits:\n  turns: 0\ntools:\n  - read\n  - 7\ncolor:\n---\n');
    expect(file.locate(['name'])).toEqual({ line: 2, column: 7 });
    expect(file.locate(['limits', 'turns'])).toEqual({ line: 4, column: 10 });
    expect(file.locate(['tools', '1'])).toEqual({ line: 7, column: 5 });
    expect(file.locate(['color'])).toEqual({ line: 8, column: 1 });
    expect(file.locate(['limits', 'minutes'])).toEqual({ line: 4, column: 3 });
    expect(file.locate(['absent'])).toEqual({ line: 2, column: 1 });
  });
});

it('tells a problem from a result and from a text', () => {
  expect([isProblem({ line: 1, column: 1, reason: 'x' }), isProblem({ line: 1 }), isProblem('reason')]).toEqual([
    true,
    false,
    false,
  ]);
});

describe('the lines of a text', () => {
  it.each<[string, number, { end: number; next: number }]>([
    ['a\nb', 0, { end: 1, next: 2 }],
    ['a\r\nb', 0, { end: 1, next: 3 }],
    ['a\nb', 2, { end: 3, next: 3 }],
    ['\n\n', 1, { end: 1, next: 2 }],
    ['\r\n', 1, { end: 1, next: 2 }],
    ['a\rb\n', 0, { end: 3, next: 4 }],
    ['', 0, { end: 0, next: 0 }],
  ])('in %j end, from %i on', (text, start, line) => {
    expect(lineAt(text, start)).toEqual(line);
  });
});

describe('the sections of a file', () => {
  it.each<[string, unknown]>([
    ['---\na: 1\n---\nBody', { yaml: { start: 0, end: 9 }, bodyStart: 13, eol: '\n' }],
    ['---\na: 1\n---\n\nBody', { yaml: { start: 0, end: 9 }, bodyStart: 14, eol: '\n' }],
    ['---\na: 1\n---\n\n\nBody', { yaml: { start: 0, end: 9 }, bodyStart: 14, eol: '\n' }],
    ['---\na: 1\n--- \t\nBody', { yaml: { start: 0, end: 9 }, bodyStart: 15, eol: '\n' }],
    ['\uFEFF---\r\n---\r\n\r\nBody', { yaml: { start: 1, end: 6 }, bodyStart: 13, eol: '\r\n' }],
    ['---\n---', { yaml: { start: 0, end: 4 }, bodyStart: 7, eol: '\n' }],
    ['---\n ---\n---x\n---\n', { yaml: { start: 0, end: 14 }, bodyStart: 18, eol: '\n' }],
    ['a ---\n---\n', { yaml: undefined, bodyStart: 0, eol: '\n' }],
    ['a ---js\n', { yaml: undefined, bodyStart: 0, eol: '\n' }],
    ['\uFEFF\r\n---\n', { yaml: undefined, bodyStart: 1, eol: '\r\n' }],
    ['', { yaml: undefined, bodyStart: 0, eol: '\n' }],
  ])('are found in %j', (text, sections) => {
    expect(findSections(text)).toEqual(sections);
  });

  it.each(['---js\n---\n', '--- \n---\n', '\uFEFF---:\n'])(
    'are not found where the first line is like that of %j',
    (text) => {
      expect(findSections(text)).toEqual({
        line: 1,
        column: 4,
        reason: 'The first line must be exactly `---`: frontmatter is YAML, no other language is read.',
      });
    },
  );

  it.each(['---', '---\n', '---\na: 1\n', '---\na: 1\n ---\n--- x\n'])(
    'are not found where they never end: %j',
    (text) => {
      expect(findSections(text)).toEqual({
        line: 1,
        column: 1,
        reason: 'The frontmatter is never closed: end it with a line that is exactly `---`.',
      });
    },
  );
});

describe('the limits of a frontmatter', () => {
  const read = (yaml: string) => parseMarkdown(`---\n${yaml}\n---\nBody\n`);

  it.each(['\n', '\r', '\u2028', '\u2029'])('are a thousand line endings in a row: %j', (eol) => {
    const blank = (count: number) => `first: 1\na: |\n  x${eol.repeat(count)}`;
    expect(read(blank(1_001))).toEqual({
      line: 4,
      column: 1,
      reason: 'The frontmatter has too many blank lines in a row.',
    });
    expect(read(blank(900))).toMatchObject({ body: 'Body\n' });
  });

  it('are a thousand line endings, not one more', () => {
    expect(isProblem(read(`a: b${'\n'.repeat(999)}`))).toBe(false);
    expect(isProblem(read(`a: b${'\n'.repeat(1_000)}`))).toBe(true);
  });

  it('are thirty-two brackets in each other, whatever was closed before', () => {
    const nested = (depth: number) => `a: ${'['.repeat(depth)}${']'.repeat(depth)}`;
    const closed = Array.from({ length: 40 }, (_, number) => `k${number}: [{}]`).join('\n');
    expect(isProblem(read(`${closed}\n${nested(32)}`))).toBe(false);
    for (const open of ['[', '{a: '])
      expect(read(`${closed}\nb: ${open.repeat(33)}`)).toEqual({
        line: 42,
        column: 1,
        reason: 'The frontmatter is nested too deeply.',
      });
  });

  it.each([
    [' '.repeat(201), false],
    [`${'- '.repeat(100)}- x`, false],
    [`${'? '.repeat(100)}? x`, false],
    [`${' '.repeat(199)}- x`, false],
    [' '.repeat(200), true],
    [`${'-'.repeat(300)}: 1`, true],
    [`z: ${' '.repeat(300)}1`, true],
  ])('are two hundred columns of indent: %j', (line, isRead) => {
    const found = read(`a: 1\n# c\n${line}${line.trim() === '' ? '# deep' : ''}`);
    if (isRead) expect(found).toMatchObject({ body: 'Body\n' });
    else expect(found).toEqual({ line: 4, column: 201, reason: 'The frontmatter is nested too deeply.' });
  });

  it('are ten thousand tokens', () => {
    const list = (items: number, more = '') => `a: [${'x,'.repeat(items)}]${more}`;
    const count = (yaml: string) => [...new Lexer().lex(`---\n${yaml}\n`)].length;
    expect([count(list(3_330)), count(list(3_330, ' '))]).toEqual([10_000, 10_001]);
    expect(isProblem(read(list(3_330)))).toBe(false);
    expect(isProblem(read(list(3_330, ' ')))).toBe(true);
    expect(read(`# c\n${list(4_000)}`)).toEqual({
      line: 3,
      column: 1,
      reason: 'The frontmatter has too many entries.',
    });
  });
});

describe('what is refused in a frontmatter', () => {
  it.each<[string, string, string]>([
    ['a tag', 'a: 1\nb: !!str 2', 'Tags (`!`, `!!`) are not read: write the plain value.'],
    [
      'an alias too many',
      `b: &b 1\na: [${'*b, '.repeat(33)}]`,
      'There are more than 32 aliases (`*name`): write the values out.',
    ],
    ['a repeated key', 'a: 1\na: 2', 'The key `a` stands twice: keep one.'],
    [
      'a long repeated key',
      `${'k'.repeat(99)}: 1\n${'k'.repeat(99)}: 2`,
      `The key \`${'k'.repeat(80)}\` stands twice: keep one.`,
    ],
    ['a list instead of keys', '- a', 'The frontmatter must be a list of `key: value` lines.'],
    ['a number instead of keys', '7', 'The frontmatter must be a list of `key: value` lines.'],
  ])('is told: %s', (_what, yaml, reason) => {
    expect(problem(`---\n${yaml}\n---\n`).reason).toBe(reason);
  });

  it('is the first fault of several', () => {
    expect(problem('---\na: "x\\q"\nb: [1 2\nc: @\n---\n')).toMatchObject({ line: 2 });
    expect(problem('---\na: !!foo x\nb: @x\n---\n')).toMatchObject({ line: 2 });
  });

  it.each(['"', "'"])('is a text in %s that never ends, where it begins', (quote) => {
    expect(problem(`---\nname: ${quote}Ada${quote}\nmodel: ${quote}x\ncolor: red\n---\n`)).toMatchObject({
      line: 3,
      column: 8,
    });
  });
});

describe('the place of a value', () => {
  it.each<[string, string[], [number, number]]>([
    ['through an alias', ['b', 'x'], [3, 6]],
    ['in a list', ['list', '1', 'y'], [7, 8]],
    ['that is empty, by its key', ['empty'], [8, 1]],
    ['that is missing, by what is around it', ['list', '9'], [6, 3]],
    ['below a value that holds none', ['b', 'x', 'z'], [3, 6]],
    ['of the whole', [], [2, 1]],
  ])('is found %s', (_how, path, [line, column]) => {
    const file = parse('---\na: &a\n  x: 1\nb: *a\nlist:\n  - 1\n  - y: 2\nempty:\n---\n');
    expect(file.locate(path)).toEqual({ line, column });
  });

  it('is the begin of a file without keys', () => {
    expect(parse('Only words.\n').locate(['name'])).toEqual({ line: 1, column: 1 });
    expect(parse('\nOnly words.\n').locate([])).toEqual({ line: 1, column: 1 });
  });

  it('is the same in a file that is too long to be remembered', () => {
    const text = `---\nname: Ada\n---\n${'x'.repeat(20_000)}`;
    for (const _ of [1, 2]) {
      const file = parse(text);
      file.data['name'] = 'Eve';
      expect(file.locate(['name'])).toEqual({ line: 2, column: 7 });
    }
    expect(parse(text).data).toEqual({ name: 'Ada' });
  });
});
