import { expect, it } from 'vitest';
import { systemClock } from '../../../lib/time/clock.js';
import type { FoundFact } from '../../../storage/database/structure-reader.js';
import type { FileStructure } from '../../../storage/database/structure-schema.js';
import { resolveReads } from './environment-reads.js';
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
