import { describe, expect, it } from 'vitest';
import { definedName } from './code-passages.js';
import { computeFileWeight, getFileRole, mayBeIndexed, readableText, splitLines } from './file-worth.js';
import { splitPassages } from './passages.js';

const titles = (path: string, text: string) =>
  splitPassages(path, splitLines(text)).map(({ startLine, endLine, title }) => [startLine, endLine, title]);

describe('passagesOf', () => {
  it('splits Markdown into sections, titled by their headings', () => {
    const body = '\none\ntwo\nthree\nfour\nfive\n';
    expect(
      titles('a.md', `# Guide\n${body}## Limits\n${body}\`\`\`sh\n# no heading\n\`\`\`\n### Body [size](x)\n${body}`),
    ).toEqual([
      [1, 7, 'Guide'],
      [8, 17, 'Guide > Limits'],
      [18, 24, 'Guide > Limits > Body size'],
    ]);
  });

  it('splits code at definitions, each with its comment', () => {
    const text =
      "import x from 'x';\n\n\n\n\n/** Says hello. */\nexport function hello() {\n  return 1;\n}\n\n\n// " +
      'limit\nconst MAX = 5;\nfoo();\nfoo();\nfoo();\n';
    expect(titles('a.ts', text)).toEqual([
      [1, 5, ''],
      [6, 11, 'hello'],
      [12, 16, 'MAX'],
    ]);
  });

  it('covers every line once in passages of at most 60 lines', () => {
    for (const path of ['a.md', 'a.ts', 'a.txt', 'NOTES']) {
      const lines = Array.from({ length: 500 }, (_, index) =>
        index % 37 === 0 ? '' : index % 50 === 3 ? `# part ${index}` : `function f${index}() { return ${index} }`,
      );
      const passages = splitPassages(path, lines);
      expect(
        passages.flatMap(({ startLine, endLine }) =>
          Array.from({ length: endLine - startLine + 1 }, (_, index) => startLine + index),
        ),
      ).toEqual(lines.map((_, index) => index + 1));
      expect(Math.max(...passages.map(({ startLine, endLine }) => endLine - startLine + 1))).toBeLessThanOrEqual(60);
    }
  });

  it.each([
    ['export async function readAll(path: string) {', 'readAll'],
    ['class Hub(Base):', 'Hub'],
    ['    def close(self):', 'close'],
    ['func (s *Server) Listen(port int) error {', 'Listen'],
    ['pub(crate) fn parse<T>(x: T) -> u8 {', 'parse'],
    ['Reply.prototype.send = function (payload) {', 'send'],
    ['#define MAX_SIZE 10', 'MAX_SIZE'],
    ['static int read_all(char *path) {', 'read_all'],
    ['NODE_METHOD(JS_close) {', 'JS_close'],
    ['CREATE TABLE IF NOT EXISTS asks (', 'asks'],
    ['  async run(turn: Turn): Promise<void> {', 'run'],
    ['[tool.poetry]', 'tool.poetry'],
    ['if (x) {', undefined],
    ['  return foo(bar) {', undefined],
    ['  while (true) {', undefined],
  ])('finds that %s defines %s', (line, name) => expect(definedName(line)).toBe(name));
});

it('takes bounded time for lines made to cause backtracking', () => {
  const started = performance.now();
  const shapes = [
    'a ',
    'a::',
    'a*',
    'a<',
    'a,',
    'export ',
    'public static ',
    'a.b.',
    '"a.',
    '[[',
    '((',
    'a(',
    '  a(b) ',
    '* ',
    '# ',
    '<',
    '[a](',
    '`',
    '**a',
  ];
  for (const shape of shapes) {
    for (const path of ['a.ts', 'a.md', 'a.txt']) {
      const lines = Array.from({ length: 200 }, () => shape.repeat(390 / shape.length));
      splitPassages(path, [...lines, shape.repeat(200_000)]);
    }
  }
  expect(performance.now() - started).toBeLessThan(10_000);
});

describe('the selection of files to index', () => {
  it.each([
    '.env',
    '.env.local',
    'prod.env',
    'a/server.pem',
    'a/b.key',
    'id_rsa',
    'id_ed25519.pub',
    '.npmrc',
    'x/.netrc',
    'a.p12',
    'credentials',
    'credentials.json',
    '.mesh/credentials/team-tokens.json',
    '.mesh/state/mesh.db',
    '.mesh/asks/consultant.md',
    '.mesh/team/consultant.md',
    '.me\u017fh/team/consultant.md',
    'packages/web/.mesh/INSTRUCTIONS.md',
    '.ssh/config',
    '.aws/config',
    'secrets.yaml',
    'package-lock.json',
    'yarn.lock',
    'a.min.js',
    'logo.png',
  ])('excludes %s', (path) => expect(mayBeIndexed(path)).toBe(false));

  it.each(['README.md', 'src/secrets.ts', '.env.example', 'lib/keys.js', 'docs/credentials-guide.md', 'Makefile'])(
    'includes %s',
    (path) => expect(mayBeIndexed(path)).toBe(true),
  );

  it('accepts only text: no binary files and no extremely long lines', () => {
    expect(readableText(Buffer.from('a\u0000b'))).toBeUndefined();
    expect(readableText(Buffer.from(`var a=1;${'x=2;'.repeat(5_000)}`))).toBeUndefined();
    expect(readableText(Buffer.from([0xff, 0xfe, 0x80, 0x81, 0x82]))).toBeUndefined();
    expect(readableText(Buffer.concat([Buffer.from('a long enough line of text '), Buffer.from([0xe9])]))).toContain(
      'text',
    );
  });

  it('weighs source and documents higher than tests, examples and logs', () => {
    expect(
      ['README.md', 'docs/a.md', 'src/a.ts', 'test/a.ts', 'src/a.test.ts', 'examples/a.ts', 'CHANGELOG.md'].map(
        getFileRole,
      ),
    ).toEqual(['readme', 'docs', 'source', 'test', 'test', 'example', 'log']);
    expect(computeFileWeight('src/a.ts')).toBeGreaterThan(computeFileWeight('test/a.ts'));
    expect(computeFileWeight('docs/a.md')).toBeGreaterThan(computeFileWeight('.mesh/team/a.md'));
  });
});
