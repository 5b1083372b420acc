import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../lib/crypto/digests.js';
import { ANSWER_CITATIONS_MAX, citationsIn, placesIn } from './answer-citations.js';

const named = (answer: string) =>
  placesIn(answer).map(({ path, startLine, endLine }) => `${path} ${startLine}-${endLine}`);

describe('placesIn', () => {
  it.each([
    ['See src/dusk.ts:4.', ['src/dusk.ts 4-4']],
    ['`src/dusk.ts:4-6`', ['src/dusk.ts 4-6']],
    ['**src/dusk.ts:4–6**', ['src/dusk.ts 4-6']],
    ['src/dusk.ts:L4-L6 and src/dusk.ts#L4-L6', ['src/dusk.ts 4-6']],
    ['at src/dusk.ts:4:17, a column', ['src/dusk.ts 4-4']],
    ['src/dusk.ts#L10', ['src/dusk.ts 10-10']],
    ['docs/a.md#L10-20', ['docs/a.md 10-20']],
    ['docs/a.md#L10C3-L20C9', ['docs/a.md 10-20']],
    ['(src/dusk.ts, lines 10-20)', ['src/dusk.ts 10-20']],
    ['(`src/dusk.ts`, line 10)', ['src/dusk.ts 10-10']],
    ['`src/dusk.ts` (lines 10 to 20)', ['src/dusk.ts 10-20']],
    ['In src/dusk.ts lines 10 through 20', ['src/dusk.ts 10-20']],
    ['`src/dusk.ts` on line 3', ['src/dusk.ts 3-3']],
    ['[the rule](src/dusk.ts#L10)', ['src/dusk.ts 10-10']],
    ['[the rule](./src/dusk.ts:10-12)', ['src/dusk.ts 10-12']],
    ['[src/dusk.ts:10](src/dusk.ts#L10)', ['src/dusk.ts 10-10']],
    ['Makefile:12 and Dockerfile:3', ['Makefile 12-12', 'Dockerfile 3-3']],
    ['.gitignore:2, .github/workflows/ci.yml:7', ['.gitignore 2-2', '.github/workflows/ci.yml 7-7']],
    ['bin/run:8', ['bin/run 8-8']],
    ['app/[id]/page.tsx:5', ['app/[id]/page.tsx 5-5']],
    [
      '`app/(auth)/login/page.tsx:5`, app/(auth)/(in)/x.tsx#L7',
      ['app/(auth)/login/page.tsx 5-5', 'app/(auth)/(in)/x.tsx 7-7'],
    ],
    ['(see app/(auth)/a.tsx:5)', ['app/(auth)/a.tsx 5-5']],
    ['app/routes/posts.$postId.tsx:8', ['app/routes/posts.$postId.tsx 8-8']],
    ['src/routes/$id/$.tsx (lines 3-4)', ['src/routes/$id/$.tsx 3-4']],
    [
      '`docs/My Guide.md:3` and `docs/My Own Notes/a b.md#L3-L4`',
      ['docs/My Guide.md 3-3', 'docs/My Own Notes/a b.md 3-4'],
    ],
    ['`cat src/a.ts:3` and `a` or `b.ts:4`', ['src/a.ts 3-3', 'b.ts 4-4']],
    ['MyApp.Test/UnitTest1.cs:10', ['MyApp.Test/UnitTest1.cs 10-10']],
    ['`Lucene.Net/Analysis/Token.cs:5`', ['Lucene.Net/Analysis/Token.cs 5-5']],
    ['a.ts:9-3', ['a.ts 9-9']],
    ['a.ts:1; b.ts:2\n- c.test.ts:3', ['a.ts 1-1', 'b.ts 2-2', 'c.test.ts 3-3']],
    ['src/größe.ts:3', ['src/größe.ts 3-3']],
    ['3d-view.ts:1', ['3d-view.ts 1-1']],
    ['src/z.ts line 3, then a.ts:2 and b.ts#L1', ['src/z.ts 3-3', 'a.ts 2-2', 'b.ts 1-1']],
    ['././a.ts:1 and dir./b.ts:2', ['a.ts 1-1', 'dir./b.ts 2-2']],
    ['a.ts:10000000 and a.ts:1-10000000', ['a.ts 10000000-10000000', 'a.ts 1-10000000']],
    ['(https://a.example/x)src/a.ts:3', ['src/a.ts 3-3']],
    ['https://a.example/x src/a.ts:3', ['src/a.ts 3-3']],
    ['mailto:me@a.example src/a.ts:3', ['src/a.ts 3-3']],
    ['localhost.ts:3 and mylocalhost/a.ts:3', ['localhost.ts 3-3', 'mylocalhost/a.ts 3-3']],
    ['a.commerce/x.ts:1 and 127.0.0/x.ts:1', ['a.commerce/x.ts 1-1', '127.0.0/x.ts 1-1']],
    ['3d.abcdefghijklmnop:1', ['3d.abcdefghijklmnop 1-1']],
    ['a.1.ts:1 and a-1.2.ts:3', ['a.1.ts 1-1', 'a-1.2.ts 3-3']],
    ['.babelrc.js:1 and [id].page.ts:2', ['.babelrc.js 1-1', '[id].page.ts 2-2']],
    ['_.x+:1', ['_.x+ 1-1']],
    ['README:1, LICENCE:2, license:3, Justfile:4', ['README 1-1', 'LICENCE 2-2', 'license 3-3', 'Justfile 4-4']],
  ])('finds the places in: %s', (answer, places) => {
    expect(named(answer)).toEqual(places);
  });

  it.each([
    'https://example.com/src/a.ts:10',
    'https://example.com/src/a.ts#L10-L20',
    'http://127.0.0.1:4747/app',
    '127.0.0.1:8123',
    'localhost:8123',
    'harbour.example.com:443',
    'It starts at 12:30 and ends at 14:00-15:30.',
    'version 1.2.3:4 and v2.0:1',
    'a ratio of 16:9, or 3:1',
    'Note:10 things',
    'step 3: 10 lines',
    'key:1',
    'see lines 10-20',
    'src/dusk.ts without a place',
    '../../etc/passwd.txt:1',
    '/etc/passwd.txt:1',
    'C:\\code\\a.ts:3',
    'a.ts:0',
    'a.ts:123456789',
    '2001:db8::1',
    'git@host.example:22',
    'mailto:somebody@host.dev:1',
    '#12 and issue#10',
    'https://a.example/x;src/a.ts:3',
    'git+ssh://a.example/x;src/a.ts:3',
    'mailto:me@a.example;src/a.ts:3',
    'a.ts:10000001 and a.ts:1-10000001',
    'a/./b.ts:1, a/../b.ts:1 and a/:1',
    'localhost/a.ts:3 and 127.0.0.1/a.ts:3',
    'www.abc/a.ts:1 and api.abc/a.ts:1',
    'harbour.com/x.ts:1, harbour.dev/x.ts:1 and harbour.test/x.ts:1',
    '3d.abcdefghijklmnopq:1',
    '3d.ts+x:1 and 3a.b+c:1',
    '.a:1, .git+x:1 and .1a:1',
    'v1.2.a:3, 1.2.a:3 and 12.3.a:1',
    'xmakefile:1 and makefilex:1',
    '1/2:3, a/2:3 and 1/b:3',
    '',
  ])('finds no place in: %j', (answer) => {
    expect(named(answer)).toEqual([]);
  });

  it('finds at most 200 places', () => {
    expect(named(Array.from({ length: 201 }, (_, at) => `a.ts:${at + 1}`).join(' ')).at(-1)).toBe('a.ts 200-200');
  });

  it('takes time proportional to the length of the answer, whatever its content', () => {
    for (const unit of [
      'a/',
      'a.',
      '[a',
      'a:1',
      '((',
      'a.ts, ',
      '-',
      'a.ts:1-',
      '#L1',
      '[a]',
      '/(a)',
      '(a/',
      ')/a',
      '/(a',
      '/$a',
      '`a/b ',
      '`a/',
    ]) {
      const started = performance.now();
      placesIn(unit.repeat(131_072 / unit.length));
      expect(performance.now() - started, unit).toBeLessThan(1_000);
    }
  });
});

const FILES: Record<string, string[]> = {
  'src/dusk.ts': ['export const A = 1;', '', 'export const B = 2;'],
  'docs/long.md': Array.from({ length: 50 }, (_, index) => `Line ${index + 1}`),
};
const readLines = async (path: string, start: number, end: number) => FILES[path]?.slice(start - 1, end);

describe('citationsIn', () => {
  it('quotes the lines at each place, for a later check', async () => {
    const { citations, unknown } = await citationsIn(
      'B is 2 (`src/dusk.ts:3`), and A is 1 (src/dusk.ts#L1-L2).',
      readLines,
    );
    expect(unknown).toBe(0);
    expect(citations).toEqual([
      {
        path: 'src/dusk.ts',
        start_line: 3,
        end_line: 3,
        commit: null,
        sha256: sha256Hex('export const B = 2;'),
        quote: 'export const B = 2;',
        status: 'dropped',
      },
      {
        path: 'src/dusk.ts',
        start_line: 1,
        end_line: 2,
        commit: null,
        sha256: sha256Hex('export const A = 1;\n'),
        quote: 'export const A = 1;\n',
        status: 'dropped',
      },
    ]);
  });

  it('quotes at most twelve lines, and no more than the file has', async () => {
    const { citations } = await citationsIn('docs/long.md:1-40 docs/long.md:49-60', readLines);
    expect(
      citations.map(({ start_line, end_line, quote }) => [start_line, end_line, quote.split('\n').length]),
    ).toEqual([
      [1, 12, 12],
      [49, 50, 2],
    ]);
  });

  it('counts each missing place once', async () => {
    const { citations, unknown } = await citationsIn(
      'src/gone.ts:1, src/gone.ts:1, src/dusk.ts:99, src/dusk.ts:2',
      readLines,
    );
    expect([citations, unknown]).toEqual([[], 2]);
  });

  it('returns each citation once, and at most forty', async () => {
    const many = Array.from({ length: 50 }, (_, index) => `docs/long.md:${index + 1}, docs/long.md#L${index + 1}`).join(
      '; ',
    );
    const { citations } = await citationsIn(many, readLines);
    expect(citations).toHaveLength(ANSWER_CITATIONS_MAX);
    expect(new Set(citations.map(({ start_line }) => start_line)).size).toBe(ANSWER_CITATIONS_MAX);
  });

  it('quotes no more than twelve lines of a reader that gives more', async () => {
    const all = async () => Array.from({ length: 20 }, (_, at) => `line ${at}`);
    const { citations } = await citationsIn('a.ts:5-30', all);
    expect(citations).toMatchObject([{ start_line: 5, end_line: 16 }]);
    expect(citations[0]?.quote.split('\n')).toHaveLength(12);
  });

  it('reads no further once it has forty', async () => {
    let reads = 0;
    const answer = Array.from({ length: 60 }, (_, at) => `a.ts:${at + 1}`).join(' ');
    const { citations } = await citationsIn(answer, async () => {
      reads += 1;
      return ['x'];
    });
    expect([citations.length, reads]).toEqual([40, 40]);
  });

  it('drops a place with nothing but blanks, and counts it not as missing', async () => {
    const lines: Record<string, string[] | undefined> = { 'blank.ts': ['  ', '\t'], 'word.ts': ['x'] };
    const found = await citationsIn('blank.ts:1-2 word.ts:1 gone.ts:1', async (path) => lines[path]);
    expect(found.citations.map(({ path }) => path)).toEqual(['word.ts']);
    expect(found.unknown).toBe(1);
  });
});
