import { beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../lib/time/clock.js';
import { openCode } from '../../../testing/parts/code-structure.js';
import { emptyStructure, GrammarBroken, mayHaveStructure, readStructure } from './file-structure.js';
import { ParseTimeout, type Parsing, SyntaxParser } from './syntax-parser.js';

const read = openCode();
let parser: SyntaxParser;
beforeAll(async () => {
  parser = await SyntaxParser.open(systemClock);
});
const EMPTY = {
  ...{ language: 'ecmascript', role: 0, package: '', isModule: false, symbols: [], references: [], imports: [] },
  ...{ environment: [], routes: [], scripts: [], errors: [], constants: [], entries: [] },
};

it('reads sources and manifests, and no other files', () => {
  expect(['a.ts', 'package.json', 'a.md', 'a'].map(mayHaveStructure)).toEqual([true, true, false, false]);
});

it.each([
  ['src/a.ts', 0],
  ['src/a.test.ts', 1],
  ['test/a.ts', 1],
  ['examples/a.ts', 1],
  ['build.rs', 1],
  ['crates/x/build.rs', 1],
  ['src/xbuild.rs', 0],
  ['build.rs/a.ts', 0],
  ['vendor/a.ts', 2],
  ['src/third_party/a.ts', 2],
  ['third-party/a.ts', 2],
  ['thirdparty/a.ts', 2],
  ['node_modules/a.ts', 2],
  ['deps/a.ts', 2],
  ['External/a.ts', 2],
  ['x/bundled/a.ts', 2],
  ['vendor/test/a.ts', 2],
  ['xvendor/a.ts', 0],
  ['vendors/a.ts', 0],
])('gives %s the role %i', (path, role) => {
  expect(emptyStructure(path).role).toBe(role);
  expect(read(path, 'x;\n').role).toBe(role);
});

it('holds nothing of a file that was left out but the reason', () => {
  expect(emptyStructure('a.ts')).toEqual(EMPTY);
  expect(emptyStructure('a.ts', 'too large')).toEqual({ ...EMPTY, leftOut: 'too large' });
  expect(emptyStructure('a.md')).toEqual({ ...EMPTY, language: '' });
});

it('leaves out a file of more than a mebibyte', () => {
  const text = (length: number) => '#\n'.repeat(length / 2).padEnd(length, '#');
  expect(read('Makefile', text(1024 * 1024)).leftOut).toBeUndefined();
  expect(read('Makefile', text(1024 * 1024 + 1))).toEqual({ ...EMPTY, language: '', leftOut: 'too large' });
});

it('holds nothing of a file that is no text', () => {
  expect(read('a.ts', 'const a = "\0";\n')).toEqual(EMPTY);
});

it('reads a manifest that is no program, and one that is one too', () => {
  expect(read('package.json', '{"bin": "./a.js"}')).toEqual({
    ...{ ...EMPTY, language: '' },
    entries: [{ name: './a.js', kind: 'program (bin)', line: 1 }],
  });
  const found = read('setup.py', "def go(): pass\nsetup(console_scripts=['a = b:c'])\n");
  expect([found.symbols.length, found.entries, found.language]).toEqual([
    1,
    [{ name: 'a: b:c', kind: 'program', line: 2 }],
    'python',
  ]);
});

describe('a parser that fails', () => {
  const finish = (given: Parsing) => {
    const reading = readStructure('a.ts', Buffer.from('function a() {}\n'), given);
    for (;;) {
      const step = reading.next();
      if (step.done) return step.value;
    }
  };
  /** Fails at the calls of these numbers, from 1, with an error each. */
  function failing(errors: Record<number, Error>) {
    const texts: string[] = [];
    const broken: Parsing = {
      parse: (grammar, text) => {
        texts.push(text);
        const error = errors[texts.length];
        if (error) throw error;
        return parser.parse(grammar, text);
      },
    };
    return { broken, texts };
  }
  const text = 'function a() {}\n';

  it('once, parses the text again', () => {
    const { broken, texts } = failing({ 1: new Error('trap') });
    expect(finish(broken).symbols).toHaveLength(1);
    expect(texts).toEqual([text, text]);
  });

  it('twice, leaves the file out, since the grammar parses an empty text', () => {
    const { broken, texts } = failing({ 1: new Error('trap'), 2: new Error('trap') });
    expect(finish(broken)).toEqual({ ...EMPTY, leftOut: 'cannot be parsed' });
    expect(texts).toEqual([text, text, '']);
  });

  it('even for an empty text, has a broken grammar', () => {
    const cause = new Error('trap');
    const { broken } = failing({ 1: new Error('trap'), 2: new Error('trap'), 3: cause });
    const thrown = expect(() => finish(broken));
    thrown.toThrow(GrammarBroken);
    const again = failing({ 1: new Error('trap'), 2: new Error('trap'), 3: cause }).broken;
    expect(() => finish(again)).toThrow(expect.objectContaining({ message: 'The grammar parses nothing.', cause }));
  });

  it('for want of time, leaves the file out without another try', () => {
    const { broken, texts } = failing({ 1: new ParseTimeout() });
    expect(finish(broken)).toEqual({ ...EMPTY, leftOut: 'takes too long to parse' });
    expect(texts).toHaveLength(1);
  });
});

describe('a file with a secret', () => {
  const secret = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`;
  const text = (value: string) =>
    `/** Logs in with ${value}. */\nexport function login(user: string, token = '${value}') { throw new ` +
    `Error('${value}'); }\n` +
    `export const NAME_OF_IT = '${value}';\nconst env = process.env.LAMP_KEY ?? '${value}';\nconst port = ` +
    `process.env.PORT ?? '80';\n`;

  it('keeps no text that holds it, and all others', () => {
    const found = read('a.ts', text(secret));
    expect(JSON.stringify(found)).not.toContain(secret);
    expect(found.symbols[0]).toMatchObject({
      name: 'login',
      signature: '',
      doc: '',
      parameters: [{ name: 'user', type: 'string' }],
    });
    expect(found.environment).toEqual([
      { name: 'LAMP_KEY', line: 4, value: '' },
      { name: 'PORT', line: 5, value: "'80'" },
    ]);
    expect(found.errors).toEqual([{ name: 'Error', kind: 'throw', message: '', line: 2 }]);
    expect(found.constants.map(({ name, value }) => [name, value])).toEqual([
      ['NAME_OF_IT', ''],
      ['env', ''],
      ['port', "process.env.PORT ?? '80'"],
    ]);
  });

  it('keeps all texts when there is none', () => {
    const found = read('a.ts', text('it'));
    expect(found.symbols[0]?.parameters).toHaveLength(2);
    expect(found.constants.map(({ value }) => value)).toEqual([
      "'it'",
      "process.env.LAMP_KEY ?? 'it'",
      "process.env.PORT ?? '80'",
    ]);
  });

  it('keeps no command that holds it', () => {
    const scripts = { deploy: `curl -H ${secret}`, build: 'tsc' };
    expect(read('package.json', JSON.stringify({ scripts }, null, 1)).scripts.map(({ command }) => command)).toEqual([
      '',
      'tsc',
    ]);
  });

  it('keeps no value that is one together with its name', () => {
    const value = 'a1b2c3d4e5f6g7h8i9j0a1b2c3d4e5f6g7h8i9j0';
    const found = read('a.ts', `const SECRET_ACCESS_KEY = '${value}';\nconst other = '${value}';\n`);
    expect(found.constants.map((one) => one.value)).toEqual(['', `'${value}'`]);
  });

  it('keeps a read of the environment without a value as it is', () => {
    expect(read('a.ts', `f('${secret}');\nprocess.env.HOME;\n`).environment).toEqual([{ name: 'HOME', line: 2 }]);
  });
});
