import { describe, expect, it } from 'vitest';
import { plainPath, type ReadableProject, readingTools } from './reading-tools.js';
import { Fields } from './tool.js';

type Search = Parameters<ReadableProject['linesHolding']>[0];
type Match = Awaited<ReturnType<ReadableProject['linesHolding']>>['matches'][number];

const signal = new AbortController().signal;

/** The tools over a project in which each file has `lines`, and every search finds what `find` says. */
function tools({
  paths = [] as string[],
  lines = [] as string[],
  find = (_: Search): { matches: Match[]; hasMore: boolean } => ({ matches: [], hasMore: false }),
}) {
  const seen = { read: [] as string[], searches: [] as Search[], signals: [] as AbortSignal[] };
  const all = readingTools({
    paths: async () => paths,
    lines: async (path) => {
      seen.read.push(path);
      return lines;
    },
    linesHolding: async (search, until) => {
      seen.searches.push(search);
      seen.signals.push(until);
      return find(search);
    },
  });
  const named = (name: string) => {
    const tool = all.find((one) => one.name === name);
    if (!tool) throw new Error(`There is no tool ${name}`);
    return tool;
  };
  const run = (name: string, input: object) => named(name).run(new Fields(input), signal);
  const target = (name: string, input: object) => named(name).target(new Fields(input));
  return { all, run, target, seen };
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`);

it('the tools that read are described to the model with their fields', () => {
  const { all } = tools({});
  expect(all.map(({ name, description, schema }) => [name, description, schema])).toEqual([
    [
      'read',
      'Lines of a file of the project, numbered. Without end_line: up to 400 lines.',
      {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'As `list` and `search` give it.' },
          start_line: { type: 'integer', minimum: 1 },
          end_line: { type: 'integer', minimum: 1 },
        },
        required: ['path'],
        additionalProperties: false,
      },
    ],
    [
      'search',
      'Lines of the project in which a text stands, as path:line. The text is taken literally, not as a pattern; ' +
        '`a|b` looks for either when the whole is nowhere. Case counts only when the text has capitals.',
      {
        type: 'object',
        properties: {
          text: { type: 'string' },
          path: {
            type: 'string',
            description: 'Only under this folder, or where this glob fits, such as src/**/*.ts.',
          },
          whole_word: { type: 'boolean' },
        },
        required: ['text'],
        additionalProperties: false,
      },
    ],
    [
      'list',
      'Paths of the project’s text files, under a folder or where a glob fits.',
      {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'A folder, or a glob such as docs/**/*.md. Empty: the whole project.' },
        },
        required: [],
        additionalProperties: false,
      },
    ],
  ]);
});

describe('reading', () => {
  it('gives numbered lines, and where to go on', async () => {
    const { run, seen } = tools({ lines: numbered(3) });
    expect(await run('read', { path: ' ././src/a.ts ' })).toBe(
      'src/a.ts, lines 1-3 of 3\n1\tline 1\n2\tline 2\n3\tline 3',
    );
    expect(seen.read).toEqual(['src/a.ts']);
    expect(await run('read', { path: 'a', start_line: 2, end_line: '2' })).toBe(
      'a, lines 2-2 of 3; go on with start_line 3\n2\tline 2',
    );
    expect(await run('read', { path: 'a', start_line: 3, end_line: 9 })).toBe('a, lines 3-3 of 3\n3\tline 3');
  });

  it('gives 400 lines where no end is named', async () => {
    const { run } = tools({ lines: numbered(1_000) });
    expect(await run('read', { path: 'a' })).toMatch(/^a, lines 1-400 of 1000; go on with start_line 401\n/);
    expect(await run('read', { path: 'a', start_line: 11 })).toMatch(/^a, lines 11-410 of 1000; go on with/);
    expect(await run('read', { path: 'a', start_line: 601 })).toMatch(/^a, lines 601-1000 of 1000\n/);
  });

  it('gives at most 32 KiB, and cuts a long line', async () => {
    const text = await tools({ lines: Array.from({ length: 40 }, () => 'x'.repeat(1_001)) }).run('read', { path: 'a' });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(32 * 1024);
    expect(text).toMatch(/^a, lines 1-31 of 40; go on with start_line 32\n1\tx{1000} \[line cut\]\n2\tx/);
    expect(await tools({ lines: ['x'.repeat(1_000)] }).run('read', { path: 'a' })).toMatch(/\tx{1000}$/);
  });

  it('leaves 512 bytes of them for the words around the lines', async () => {
    // Each line takes 8 bytes with its number and its end.
    const lines = Array.from({ length: 9_999 }, () => 'xx');
    const text = await tools({ lines }).run('read', { path: 'a', start_line: 1_000, end_line: 9_999 });
    expect(text).toMatch(/^a, lines 1000-5031 of 9999; go on with start_line 5032\n/);
  });

  it.each([
    [{ path: 'a', start_line: 3, end_line: 2 }, '`end_line` is before `start_line`.'],
    [{ path: 'a', start_line: 4 }, 'The file has 3 lines.'],
    [{ path: 'a', start_line: 0 }, '`start_line` must be a whole number from 1.'],
    [{}, '`path` is missing: give a text.'],
    [{ path: 'a'.repeat(1_025) }, '`path` is longer than 1024 characters.'],
  ])('is refused with advice: %#', async (input, words) => {
    await expect(tools({ lines: numbered(3) }).run('read', input)).rejects.toMatchObject({
      code: 'bad_request',
      message: words,
    });
  });

  it.each([
    [{ path: 'a' }, 'a'],
    [{ path: 'a', start_line: 2 }, 'a:2'],
    [{ path: 'a', start_line: 2, end_line: 3 }, 'a:2-3'],
    [{ path: 'a', end_line: 3 }, 'a:1-3'],
    [{}, ''],
  ])('is shown with its lines: %j', (input, target) => {
    expect(tools({}).target('read', input)).toBe(target);
  });
});

describe('searching', () => {
  const match = (line: number, text = 'found') => ({ path: 'a.ts', line, text });

  it('gives the places of a text, cut and without blanks around', async () => {
    const matches = [match(3, '  one two '), match(7, 'x'.repeat(1_001))];
    const { run, seen } = tools({ find: () => ({ matches, hasMore: false }) });
    expect(await run('search', { text: 'One' })).toBe(`a.ts:3: one two\na.ts:7: ${'x'.repeat(1_000)} [line cut]`);
    expect(seen.searches).toEqual([
      { texts: ['One'], isWholeWord: false, matchesCase: true, accepts: expect.any(Function), max: 100 },
    ]);
    expect(seen.signals).toEqual([signal]);
  });

  it('looks for whole words and in a folder where it is asked to', async () => {
    const { run, seen } = tools({});
    await run('search', { text: 'one', whole_word: true, path: 'src' });
    const [search] = seen.searches;
    expect(search).toMatchObject({ isWholeWord: true, matchesCase: false });
    expect([search?.accepts('src/a.ts'), search?.accepts('docs/a.md')]).toEqual([true, false]);
    await run('search', { text: 'one' });
    expect(seen.searches[1]?.accepts('docs/a.md')).toBe(true);
  });

  it('looks for either of several texts where the whole is nowhere', async () => {
    const { run, seen } = tools({
      find: ({ texts }) => ({ matches: texts.length > 1 ? [match(1)] : [], hasMore: false }),
    });
    expect(await run('search', { text: 'one | two||one' })).toBe('a.ts:1: found');
    expect(seen.searches.map(({ texts }) => texts)).toEqual([['one | two||one'], ['one', 'two']]);
    await run('search', { text: 'a|B' });
    expect(seen.searches.at(-1)).toMatchObject({ texts: ['a', 'B'], matchesCase: true });
  });

  it('looks once where the whole is found, or where there is one text only', async () => {
    const found = tools({ find: () => ({ matches: [match(1)], hasMore: false }) });
    await found.run('search', { text: 'one|two' });
    expect(found.seen.searches).toHaveLength(1);
    const nowhere = tools({});
    expect(await nowhere.run('search', { text: 'one|' })).toBe(
      'No line holds this text. It is taken literally: try a single word, or another one for the same thing.',
    );
    expect(nowhere.seen.searches).toHaveLength(1);
  });

  it.each([
    [1, false, false],
    [1, true, true],
    [40, false, true],
  ])('says that there is more: %i long lines, more of them: %j', async (count, hasMore, isSaid) => {
    const matches = Array.from({ length: count }, (_, index) => match(index + 1, 'x'.repeat(1_000)));
    const text = await tools({ find: () => ({ matches, hasMore }) }).run('search', { text: 'x' });
    expect(text.endsWith('\n[there are more: narrow the text or the path]')).toBe(isSaid);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(32 * 1024);
  });

  it.each([
    [{ text: ' \t' }, '`text` is only blanks.'],
    [{ text: 'x'.repeat(501) }, '`text` is longer than 500 characters.'],
    [{ text: 'x', path: 'x'.repeat(1_025) }, '`path` is longer than 1024 characters.'],
  ])('is refused with advice: %#', async (input, words) => {
    await expect(tools({}).run('search', input)).rejects.toMatchObject({ code: 'bad_request', message: words });
  });

  it.each([
    [{ text: 'one' }, 'one'],
    [{ text: 'one', path: 'src' }, 'one in src'],
    [{ path: 'src' }, 'src'],
    [{}, ''],
  ])('is shown with its place: %j', (input, target) => {
    expect(tools({}).target('search', input)).toBe(target);
  });
});

describe('listing', () => {
  const paths = Array.from({ length: 501 }, (_, index) => `src/${index}.ts`);

  it('gives the paths under a folder or where a glob fits, or all', async () => {
    const { run } = tools({ paths: ['README.md', 'src/a.ts', 'src/b.md'] });
    expect(await run('list', { path: 'src' })).toBe('src/a.ts\nsrc/b.md');
    expect(await run('list', { path: '*.md' })).toBe('README.md\nsrc/b.md');
    expect(await run('list', {})).toBe('README.md\nsrc/a.ts\nsrc/b.md');
    expect(await run('list', { path: 'docs' })).toBe('No file that may be read is there.');
  });

  it('gives 500 paths, and says how many more there are', async () => {
    expect(await tools({ paths: paths.slice(1) }).run('list', {})).toBe(paths.slice(1).join('\n'));
    expect(await tools({ paths }).run('list', {})).toBe(
      `${paths.slice(0, 500).join('\n')}\n[1 more: name a folder or a glob]`,
    );
  });

  it('gives at most 32 KiB', async () => {
    const long = Array.from({ length: 100 }, (_, index) => `${'x'.repeat(1_000)}${index}`);
    const text = await tools({ paths: long }).run('list', {});
    expect(text).toMatch(/\n\[68 more: name a folder or a glob\]$/);
  });

  it('is shown with its place, which may not be too long', async () => {
    expect([tools({}).target('list', { path: 'src' }), tools({}).target('list', {})]).toEqual(['src', '']);
    await expect(tools({}).run('list', { path: 'x'.repeat(1_025) })).rejects.toThrow('longer than 1024 characters');
  });
});

it.each([
  [' a/b.ts\n', 'a/b.ts'],
  ['./././a', 'a'],
  ['a/./b', 'a/./b'],
  ['../a', '../a'],
  ['.a', '.a'],
])('the path %j is read as %j', (path, plain) => {
  expect(plainPath(path)).toBe(plain);
});
