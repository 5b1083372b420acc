import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../lib/time/clock.js';
import type { FoundFact } from '../../../storage/database/structure-reader.js';
import type { FileStructure } from '../../../storage/database/structure-schema.js';
import { isCapital, isVariableName, mayPassVariable, resolveReads } from './environment-reads.js';
import { readStructure } from './file-structure.js';
import { SyntaxParser } from './syntax-parser.js';

/** Reads `files` and returns the names of the variables that they read, in order, and whether some are not known. */
async function readAll(files: Record<string, string>) {
  const parser = await SyntaxParser.open(systemClock);
  const read = (path: string, text: string): FileStructure => {
    const reading = readStructure(path, Buffer.from(text), parser);
    for (;;) {
      const step = reading.next();
      if (step.done) return step.value;
    }
  };
  const found = Object.entries(files).map(([path, text]) => ({ path, ...read(path, text) }));
  const facts = (table: 'environment' | 'constants'): FoundFact[] =>
    found.flatMap(({ path, role, ...one }) =>
      one[table].map((row) => ({ path, role, kind: '', value: '', ...row }) as unknown as FoundFact),
    );
  const resolved = resolveReads(facts('environment'), (name) => facts('constants').filter((one) => one.name === name));
  return { names: resolved.reads.map(({ name }) => name), isUnknown: resolved.isUnknown };
}

it('reads what a constant of another file names, and what a function of the project is given', async () => {
  const found = await readAll({
    'src/vars.rs': 'pub static COLUMNS: &str = "TOWN_COLUMNS";\npub static DEBUG: &str = "TOWN_DEBUG";\n',
    'src/main.rs':
      'struct Live;\nimpl Vars for Live {\n  fn get(&self, name: &str) -> X { std::env::var_os(name) }\n}\n' +
      'fn main() {\n  let w = live_vars.get(vars::COLUMNS);\n  let d = std::env::var(vars::DEBUG);\n' +
      '  let other = table.get(COLUMNS);\n}\n',
  });
  expect(found).toEqual({ names: ['TOWN_COLUMNS', 'TOWN_DEBUG'], isUnknown: false });
});

it('takes the constant of its own file where others have the same name', async () => {
  const read = 'import os\n\nPORT = "%"\n\ndef read():\n    return os.environ[PORT]\n';
  const found = await readAll({ 'a.py': read.replace('%', 'TOWN_PORT'), 'b.py': read.replace('%', 'LAND_PORT') });
  expect(found).toEqual({ names: ['TOWN_PORT', 'LAND_PORT'], isUnknown: false });
});

it('reads every key of a table that a loop runs through, before or after the place', async () => {
  const found = await readAll({
    'town/const.py': "KEYS = {'TOWN_A': 'a', 'TOWN_B': 'b'}\nOTHERS = ['TOWN_C']\n",
    'town/conf.py':
      'import os\nfrom . import const\n\ndef read():\n' +
      '    return {k: 1 for k, v in const.KEYS.items() if k in os.environ}\n\n' +
      'def other():\n    for name in const.OTHERS:\n        yield os.environ[name]\n',
  });
  expect(found).toEqual({ names: ['TOWN_A', 'TOWN_B', 'TOWN_C'], isUnknown: false });
});

it('takes what a parameter holds by default for the environment, and the `environ` of a request for none', async () => {
  const found = await readAll({
    'lib/town.rb': "def conf(env = ENV)\n  env['TOWN_PORT'] || env.fetch('TOWN_HOST')\nend\n",
    'town/http.py': "def serve(environ, start):\n    return environ.get('HTTP_HOST')\n",
    'src/Town.java': 'class Town { String a = System.getenv().getOrDefault("TOWN_HOME", "x"); }\n',
  });
  expect(found.names).toEqual(['TOWN_PORT', 'TOWN_HOST', 'TOWN_HOME']);
});

it('says that a read is not known whose variable nothing tells', async () => {
  const found = await readAll({ 'town.py': 'import os\n\ndef read(name):\n    return os.environ[name]\n' });
  expect(found).toEqual({ names: [], isUnknown: true });
});

it.each([
  ['HOME', true, true],
  ['_home', true, false],
  ['home2', true, false],
  ['H2_', true, true],
  ['H', true, false],
  ['2H', false, false],
  ['A-B', false, false],
  ['', false, false],
  [`A${'B'.repeat(100)}`, true, true],
  [`A${'B'.repeat(101)}`, false, false],
  [' HOME', false, false],
  ['HOMe', true, false],
])('takes %s for the name of a variable: %s, and hardly for anything else: %s', (text, may, surely) => {
  expect([isVariableName(text), isCapital(text)]).toEqual([may, surely]);
});

it.each([
  ...'get fetch read find has value values lookup load contains is or of var Get'
    .split(' ')
    .map((name) => [name, 'table x', false] as const),
  ['seek', 'table x', true],
  ['gets', '', true],
  ['forget', '', true],
  ['get', 'env x', true],
  ['get', 'x env', true],
  ['get', 'environ', true],
  ['get', 'environment', true],
  ['get', 'envs', true],
  ['get', 'live_vars', true],
  ['get', 'var', true],
  ['get', 'ENV[', true],
  ['get', 'envelope', false],
  ['get', 'maven', false],
  ['get', 'variable', false],
] as const)('lets %s with %s hand on the name of a variable: %s', (name, around, may) => {
  expect(mayPassVariable(name, around)).toBe(may);
});

describe('resolveReads', () => {
  const fact = (name: string, line = 1, path = 'a.ts', value = ''): FoundFact => ({
    ...{ file: 1, path, role: 0, line, name, kind: '', value },
  });
  const resolve = (names: readonly (string | FoundFact)[], constants: readonly FoundFact[] = []) => {
    const rows = names.map((one, at) => (typeof one === 'string' ? fact(one, at + 1) : one));
    const { reads, isUnknown } = resolveReads(rows, (name) => constants.filter((one) => one.name === name));
    return [...reads.map(({ name, line }) => `${name} ${line}`), ...(isUnknown ? ['and others'] : [])];
  };
  const constant = (name: string, value: string, path = 'a.ts') => fact(name, 1, path, value);

  it('keeps a read that says its name, once for each line and file', () => {
    expect(resolve(['HOME', fact('HOME', 1), fact('HOME', 2), fact('PATH', 1), fact('HOME', 1, 'b.ts')])).toEqual([
      ...['HOME 1', 'HOME 2', 'PATH 1', 'HOME 1'],
    ]);
  });

  it.each([
    ["'HOME'", ['HOME 1']],
    ['"HOME"', ['HOME 1']],
    ['`HOME`', ['HOME 1']],
    ['@"HOME"', ['HOME 1']],
    ['rb"HOME"', ['HOME 1']],
    ["'home_2'", ['home_2 1']],
    ["'A B'", ['and others']],
    ["''", ['and others']],
    ['HOME', ['and others']],
    ["abc'HOME'", ['and others']],
    ["f('HOME')", ['and others']],
    ["'HOME", ['and others']],
  ])('takes %s for the string of a constant', (value, found) => {
    expect(resolve(['$NAME'], [constant('NAME', value)])).toEqual(found);
  });

  it('takes the string of its own file, else the one that all others have', () => {
    const [own, other, third] = [
      constant('NAME', "'A'"),
      constant('NAME', "'B'", 'b.ts'),
      constant('NAME', "'C'", 'c.ts'),
    ];
    expect(resolve(['$NAME'], [other, own])).toEqual(['A 1']);
    expect(resolve(['$NAME'], [other])).toEqual(['B 1']);
    expect(resolve(['$NAME'], [other, { ...other, path: 'd.ts' }])).toEqual(['B 1']);
    expect(resolve(['$NAME'], [other, third])).toEqual(['and others']);
    expect(resolve(['$NAME'], [own, constant('NAME', '3', 'b.ts')])).toEqual(['A 1']);
    expect(resolve(['$NAME'])).toEqual(['and others']);
  });

  it('reads each string of what a loop runs through', () => {
    const strings = [constant('NAMES[]', '"A"'), constant('NAMES[]', '"B"', 'b.ts'), constant('NAMES', '"C"')];
    expect(resolve(['*NAMES'], strings)).toEqual(['A 1', 'B 1']);
    expect(resolve(['*NAMES'], [constant('NAMES', '"C"')])).toEqual(['and others']);
  });

  it('reads what a function that reads the environment is given', () => {
    expect(resolve(['%lookUp', '@lookUp:HOME', '@other:PATH'])).toEqual(['HOME 2']);
    expect(resolve(['@lookUp:$NAME', '%lookUp'], [constant('NAME', "'A'")])).toEqual(['A 1']);
    expect(resolve(['@other:PATH'])).toEqual([]);
  });

  it('does not know what a function reads that is given nothing known', () => {
    expect(resolve(['%lookUp'])).toEqual(['and others']);
    expect(resolve(['%lookUp', '@lookUp:$NAME'])).toEqual(['and others']);
    expect(resolve(['%lookUp', '%other', '@lookUp:HOME'])).toEqual(['HOME 3', 'and others']);
    expect(resolve(['%lookUp', '@lookUp:HOME', '@lookUp:$NAME'])).toEqual(['HOME 2']);
  });
});
