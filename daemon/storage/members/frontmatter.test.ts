import matter from 'gray-matter';
import { describe, expect, it } from 'vitest';
import { isProblem, matterOptions, type ParsedMarkdown, parseMarkdown } from './frontmatter.js';

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
