import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../lib/time/clock.js';
import { putFiles, temporaryFolder, temporaryRepository } from '../../../testing/temporary-folder.js';
import type { Answer, Profile } from '../knowledge.js';
import { LocalKnowledge } from '../local-knowledge.js';

const FILES = {
  'README.md': '# Lamp\n\nIt reads arguments.\n',
  'src/args.ts':
    '/** Reads the arguments. All of them. */\nexport function parseArgs(list: string[], limit = 5) {\n  ' +
    'return split(list, limit);\n}\nfunction split(list: string[], limit: number) { return list.slice(0, ' +
    'limit); }\nexport function unused() {}\nconst SIZE_MAX = 7;\n',
  'src/main.ts': "import { parseArgs } from './args.js';\nparseArgs([], Number(process.env['SIZE'] ?? '1'));\n",
  'src/other.ts': "import { parseArgs } from './args.js';\nparseArgs([]);\nparseArgs(['x']);\n",
  'src/shop.ts':
    'export class Shop { unlock() {} }\nexport class Bank { unlock() {} }\nexport const make = () => new Shop();\n',
  'src/use.ts': "import { make } from './shop.js';\nconst made = make();\nmade.unlock();\n",
};

async function asked(files: Record<string, string> = FILES) {
  const root = temporaryRepository(files);
  const knowledge = new LocalKnowledge(root, temporaryFolder(), { PATH: process.env['PATH'] });
  onTestFinished(() => knowledge.close());
  await knowledge.structured();
  return {
    root,
    knowledge,
    ask: (text: string, profile?: Profile): Promise<Answer> => knowledge.answer({ text, profile }),
  };
}

const lead = ({ text }: Answer) => text.split('\n')[0];

describe('an answer about structure', () => {
  it('says of a function that is only handed on where that is', async () => {
    const { ask } = await asked({ 'src/a.ts': 'function noop() {}\nexport const done = [noop];\n' });
    const answer = await ask('Who calls noop?');
    expect(lead(answer)).toBe(
      '`noop` (`src/a.ts:1`) is not called under its name; it is handed on in 1 place in 1 file.',
    );
    expect(answer).toMatchObject({ total: 1, citations: [{ path: 'src/a.ts', start_line: 2 }] });
  });

  it('reads a name with types of parameters, of a prototype, or in a file', async () => {
    const { ask } = await asked({
      'src/a.js': 'function Lamp() {}\nLamp.prototype.light = function (a) {};\nnew Lamp().light(1);\n',
    });
    for (const question of [
      'Who calls Lamp.light(int)?',
      'Who calls Lamp.prototype.light?',
      'Who calls light in src/a.js?',
    ])
      expect((await ask(question)).citations.map(({ start_line: line }) => line)).toEqual([3]);
  });

  it('is none of where errors are handled, or of a word that only an example defines', async () => {
    const { ask } = await asked({
      ...FILES,
      'examples/beam.ts': 'const beam = 1;\n',
      'src/beams/file.ts': '/** The file beam: writes light into a file. */\nexport class FileBeam {}\n',
      'src/fail.ts':
        '/** Handles exceptions: each is logged. */\nexport function onError() { throw new Error("x"); }\n',
    });
    expect((await ask('Where are exceptions handled?')).trace?.source).toBe('text');
    const beam = await ask('Where is the file beam?');
    expect(beam.citations[0]?.path).toBe('src/beams/file.ts');
  });

  it('puts the package before programs of other names, and names the file that the package passes on', async () => {
    const { ask } = await asked({
      'package.json': '{\n  "name": "lamp",\n  "main": "index.js",\n  "bin": {\n    "report": "./bin/report"\n  }\n}\n',
      'bin/report': '#!/usr/bin/env node\n',
      'index.js': "module.exports = require('./lib/lamp');\n",
      'lib/lamp.js': 'exports.light = function () {};\n',
    });
    expect((await ask('What is the entry point?')).citations.map(({ path }) => path)).toEqual([
      'package.json',
      'index.js',
      'lib/lamp.js',
      'package.json',
    ]);
    expect(lead(await ask('Which file is loaded by require("lamp")?'))).toBe(
      'The entry point is `index.js` (`package.json:3`). [1] It begins in `index.js` (`index.js:1`). [2] ' +
        'It passes `lib/lamp.js` on (`lib/lamp.js:1`). [3]',
    );
  });

  it('leaves the main function of a test out', async () => {
    const { ask } = await asked({
      'README.md': '# Lamp\n',
      'lamp.h': 'int light(void);\n',
      'lamp.c': '#include "lamp.h"\nint light(void) { return 1; }\n',
      'test.c': 'int main(void) { return 0; }\n',
    });
    expect((await ask('Where does it start?')).text).not.toContain('test.c');
    expect((await ask('Which header does a user include first?')).citations[0]?.path).toBe('lamp.h');
  });

  it('states the count, lists every place with its line, and cites them', async () => {
    const { ask, knowledge } = await asked();
    const answer = await ask('Who calls parseArgs?');
    expect(lead(answer)).toBe('`parseArgs` is called from 3 places in 2 files.');
    expect(answer.text).toContain("- `src/other.ts:3` `parseArgs(['x']);`");
    expect(answer).toMatchObject({ confidence: 'found', total: 3 });
    expect(answer.citations.map(({ path, start_line: line, quote }) => [path, line, quote])).toEqual([
      ['src/main.ts', 2, "parseArgs([], Number(process.env['SIZE'] ?? '1'));"],
      ['src/other.ts', 2, 'parseArgs([]);'],
      ['src/other.ts', 3, "parseArgs(['x']);"],
    ]);
    expect(await knowledge.check(answer.citations)).toEqual(answer.citations);
  });

  it('finds the keys of an object at the top of a file, and the uses of names that libraries define', async () => {
    const { ask } = await asked({
      'src/keys.js':
        "const keys = {\n  kHeaders: Symbol('headers'),\n  kBody: Symbol('body')\n}\nmodule.exports = keys\n",
      'src/reply.js':
        "const { kHeaders } = require('./keys')\nfunction send(reply) {\n  reply[kHeaders] = " +
        "JSON.parse('{}')\n  return setTimeout(send, 1)\n}\nsend()\n",
    });
    expect(lead(await ask('Where is kHeaders defined?'))).toContain('is defined in `src/keys.js:2`');
    expect((await ask('Who uses kHeaders?')).text).toContain('`src/reply.js:3`');
    expect(lead(await ask('Who calls setTimeout?'))).toBe(
      '`setTimeout` is called from 1 place in 1 file; this project does not define it.',
    );
    expect(lead(await ask('Who calls JSON.parse?'))).toContain('is called from 1 place in 1 file');
  });

  it('lists reads of the environment, not what is set, and names what only tests read apart', async () => {
    const { ask } = await asked({
      'src/a.js': "process.env.MODE = 'x'\nmodule.exports = process.env.PORT\n",
      'src/b.py': "import os\nos.environ['TOWN'] = 'x'\nprint(os.environ['LAND'])\n",
      'test/a.test.js': 'console.log(process.env.CI)\n',
    });
    expect(lead(await ask('Which environment variables are there?'))).toBe(
      'The project reads 2 environment variables in 2 places: `PORT`, `LAND`. Only its tests, examples and ' +
        'build scripts read `CI`.',
    );
  });

  it('says where programs start: what the manifest names first, scripts that are only called by name never', async () => {
    const { ask } = await asked({
      'package.json': '{\n  "name": "lamp",\n  "bin": {\n    "lamp": "dist/lamp.js"\n  }\n}\n',
      'tools/release.sh': '#!/bin/sh\necho\n',
      'src/lamp.c': 'int main(void) { return 0; }\n',
    });
    expect(lead(await ask('Where is the entry point?'))).toBe(
      'The project starts in `lamp: dist/lamp.js` (program (bin), `package.json:4`), also in `main` (main ' +
        'function, `src/lamp.c:1`).',
    );
  });

  it.each([
    [3, ''],
    [4, ' There are 4 entry points.'],
  ])('names three of %i entry points, and says how many there are when that is not all', async (count, more) => {
    const { ask } = await asked(
      Object.fromEntries(
        Array.from({ length: count }, (_, at) => [`src/lamp${at}.c`, 'int main(void) { return 0; }\n']),
      ),
    );
    const place = (at: number) => `\`main\` (main function, \`src/lamp${at}.c:1\`)`;
    expect(lead(await ask('What are the entry points?'))).toBe(
      `The project starts in ${place(0)}, also in ${place(1)} and ${place(2)}.${more}`,
    );
  });

  it.each([
    [
      'Who calls unused in lamp?',
      'Nobody calls it: `unused` is defined and never called in this project (defined in `src/args.ts:6`).',
    ],
    ['Where is parseArgs defined?', '`parseArgs` (function) is defined in `src/args.ts:2`. Reads the arguments.'],
    [
      'Who calls unused?',
      'Nobody calls it: `unused` is defined and never called in this project (defined in `src/args.ts:6`).',
    ],
    ['What does parseArgs call?', '`parseArgs` calls 1 name of this project.'],
    ['Which files import args.ts?', '`src/args.ts` is imported by 2 files.'],
    ['Which files import use.ts?', 'No file imports `src/use.ts`.'],
    [
      'What breaks if I change src/args.ts?',
      'A change of `src/args.ts` can affect 2 files through imports: 2 directly.',
    ],
    ['Which environment variables are there?', 'The project reads 1 environment variable in 1 place: `SIZE`.'],
    [
      'What are the parameters and defaults of parseArgs?',
      '`parseArgs` takes 2 parameters: `list: string[]`, `limit = 5`.',
    ],
    ['What is the default of the parameter limit of parseArgs?', '`limit` of `parseArgs` defaults to `5`.'],
    ['What is the value of SIZE_MAX?', '`SIZE_MAX` is `7` (`src/args.ts:7`).'],
  ])('to %s', async (question, said) => {
    const { ask } = await asked();
    const answer = await ask(question);
    expect([lead(answer), answer.confidence]).toEqual([said, 'found']);
    expect(answer.citations.length).toBeGreaterThan(0);
  });

  it('says when places are found by name, and lists the definitions of an ambiguous name', async () => {
    const { ask } = await asked();
    const { text } = await ask('Who calls unlock?');
    expect(text).toContain(
      'The name has 2 definitions: `Shop.unlock` (method, `src/shop.ts:1`, 1 of them), `Bank.unlock` (method, ' +
        '`src/shop.ts:2`, 1 of them).',
    );
    expect(text).toContain('found by name, not by type');
  });

  it('shows at most twenty lines and cites up to two hundred', async () => {
    const { ask } = await asked({
      ...FILES,
      'src/many.ts': `import { unused } from './args.js';\n${'unused();\n'.repeat(250)}`,
    });
    const answer = await ask('Who calls unused?');
    expect(answer.text.split('\n').filter((line) => line.startsWith('- '))).toHaveLength(21);
    expect(answer.text).toContain('- and 230 more');
    expect([answer.total, answer.citations.length]).toEqual([250, 200]);
  });

  it('leaves a name that the graph does not hold to the text search', async () => {
    const { ask } = await asked();
    expect((await ask('Who calls launchRocket?')).total).toBeUndefined();
  });

  it('follows a changed file at once', async () => {
    const { ask, root, knowledge } = await asked();
    putFiles(root, { 'src/other.ts': 'export const nothing = 1;\n' });
    await knowledge.rescan();
    expect(lead(await ask('Who calls parseArgs?'))).toBe('`parseArgs` is called from 1 place in 1 file.');
  });

  it('tells other programs nothing of files that git does not track', async () => {
    const { ask, root, knowledge } = await asked();
    putFiles(root, {
      'src/draft.ts': "import { parseArgs } from './args.js';\nexport function draftOnly() { parseArgs([]); }\n",
    });
    await knowledge.rescan();
    await knowledge.structured();
    expect((await ask('Who calls parseArgs?')).total).toBe(4);
    const outside = await ask('Who calls parseArgs?', 'outside');
    expect([outside.total, outside.text.includes('draft')]).toEqual([3, false]);
    expect((await ask('Where is draftOnly defined?', 'outside')).total).toBeUndefined();
  });

  it('cites no line that looks like a secret', async () => {
    const secret = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`;
    const { ask } = await asked({ 'src/a.ts': `export const API_TOKEN = '${secret}';\nexport const plain = 1;\n` });
    for (const question of [
      'What is the value of API_TOKEN?',
      'Where is API_TOKEN defined?',
      'What is the value of plain?',
    ])
      expect(JSON.stringify(await ask(question))).not.toContain(secret);
    expect(lead(await ask('What is the value of plain?'))).toBe('`plain` is `1` (`src/a.ts:2`).');
  });
});

it('waits for the first graph when a question needs it', async () => {
  const knowledge = new LocalKnowledge(temporaryRepository(FILES), temporaryFolder(), { PATH: process.env['PATH'] });
  onTestFinished(() => knowledge.close());
  expect((await knowledge.answer({ text: 'Where is parseArgs defined?' })).total).toBe(1);
});

it('answers by the text search and says so, while the graph is being built', async () => {
  // A clock on which every wait is over at once.
  const clock = { ...systemClock, after: (_: number, then: () => void) => systemClock.after(0, then) };
  const environment = { PATH: process.env['PATH'] };
  const knowledge = new LocalKnowledge(temporaryRepository(FILES), temporaryFolder(), environment, clock);
  onTestFinished(() => knowledge.close());
  await knowledge.rescan();
  const first = await knowledge.answer({ text: 'Where is parseArgs defined?' });
  expect([first.total, first.text.includes('still being built')]).toEqual([undefined, true]);
  expect((await knowledge.answer({ text: 'How are arguments read?' })).text).not.toContain('still being built');
  await knowledge.structured();
  expect((await knowledge.answer({ text: 'Where is parseArgs defined?' })).total).toBe(1);
});
