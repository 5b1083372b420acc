import { describe, expect, it } from 'vitest';
import { openCodeGraphs } from '../../../../testing/parts/code-structure.js';
import { FileAnswers } from './file-answers.js';

const build = openCodeGraphs();
const FILES = {
  'src/a.ts': 'export const one = 1;\nexport class Lamp { light() {} }\nexport const none = 2;\n',
  'src/b.ts': "import { one } from './a.js';\nimport { Lamp } from './a.js';\n",
  'src/c.ts': "import './b.js';\nimport fs from 'fs';\n",
  'test/a.ts': "import { one } from '../src/a.js';\n",
  'lib/alone.ts': 'x;\n',
};
const answers = (files: Record<string, string> = FILES) => new FileAnswers(build(files).queries);
const shown = (found: ReturnType<FileAnswers['importers']>) => found && [found.lead, ...(found.notes ?? [])];
const items = (found: ReturnType<FileAnswers['importers']>) =>
  found?.items.map(({ path, startLine, endLine, label, role }) => `${path}:${startLine}-${endLine} ${role} ${label}`);

describe('who imports a file', () => {
  it('is counted in files, and in imports where those are more', () => {
    const found = answers().importers('src/a.ts');
    expect(shown(found)).toEqual(['`src/a.ts` is imported by 2 files (3 imports).']);
    expect([found?.total, items(found)]).toEqual([3, ['src/b.ts:1-1 0 ', 'src/b.ts:2-2 0 ', 'test/a.ts:1-1 1 ']]);
    expect(shown(answers().importers('src/b.ts'))).toEqual(['`src/b.ts` is imported by 1 file.']);
  });

  it('may be no file', () => {
    const found = answers().importers('alone.ts');
    expect(shown(found)).toEqual(['No file imports `lib/alone.ts`.']);
    expect([found?.total, items(found)]).toEqual([0, ['lib/alone.ts:1-1 0 ']]);
  });

  it('names the files where several have the name', () => {
    expect(shown(answers().importers('a'))).toEqual([
      '`a` is imported by 2 files (3 imports).',
      '2 files have this name: `src/a.ts`, `test/a.ts`.',
    ]);
    const many = Object.fromEntries(Array.from({ length: 7 }, (_, at) => [`d${at}/x.ts`, 'x;\n']));
    expect(shown(answers(many).importers('x.ts'))).toEqual([
      'No file imports `x.ts`.',
      `7 files have this name: ${[0, 1, 2, 3, 4, 5].map((at) => `\`d${at}/x.ts\``).join(', ')}.`,
    ]);
  });

  it('may be asked of a package of others', () => {
    expect(shown(answers().importers('fs'))).toEqual(['`fs` is imported by 1 file.']);
  });

  it('may be asked of a symbol at the top of a file', () => {
    const found = answers().importers('one');
    expect(shown(found)).toEqual(['`one` (`src/a.ts:1`) is imported by 2 files.']);
    expect([found?.total, items(found)]).toEqual([2, ['src/b.ts:1-1 0 ', 'test/a.ts:1-1 1 ']]);
    const none = answers().importers('none');
    expect(shown(none)).toEqual(['No file imports `none` (defined in `src/a.ts:3`).']);
    expect([none?.total, items(none)]).toEqual([0, ['src/a.ts:3-3 0 constant `none`']]);
    expect([answers().importers('light'), answers().importers('nothing')]).toEqual([undefined, undefined]);
  });
});

describe('what a file imports', () => {
  it('is counted', () => {
    const found = answers().imports('src/c.ts');
    expect(shown(found)).toEqual(['`src/c.ts` has 2 imports.']);
    expect([found?.total, items(found)]).toEqual([2, ['src/c.ts:1-1 0 ', 'src/c.ts:2-2 0 ']]);
  });

  it('is told of no file without imports, and of none that is not there', () => {
    expect([answers().imports('alone.ts'), answers().imports('none.ts')]).toEqual([undefined, undefined]);
  });
});

describe('what depends on a file', () => {
  it('is counted with what imports it itself, and with the tests', () => {
    const found = answers().dependents('src/a.ts');
    expect(shown(found)).toEqual([
      'A change of `src/a.ts` can affect 3 files through imports: 2 directly, 1 of all tests or examples.',
    ]);
    expect([found?.total, items(found)]).toEqual([
      3,
      ['src/b.ts:1-1 0 direct', 'src/c.ts:1-1 0 2 steps', 'test/a.ts:1-1 1 direct'],
    ]);
    expect(shown(answers().dependents('src/b.ts'))).toEqual([
      'A change of `src/b.ts` can affect 1 file through imports: 1 directly.',
    ]);
  });

  it('may be nothing', () => {
    const found = answers().dependents('alone.ts');
    expect(shown(found)).toEqual(['Nothing imports `lib/alone.ts`, so no other file is affected through imports.']);
    expect([found?.total, items(found)]).toEqual([0, ['lib/alone.ts:1-1 0 ']]);
    expect(answers().dependents('none.ts')).toBeUndefined();
  });

  it('is asked of all files of a name together', () => {
    expect(answers().dependents('a')?.lead).toContain('A change of `a` can affect');
  });

  it('tells no details of more than two hundred', () => {
    const many = Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`u${at}.ts`, "import './a.js';\n"]));
    const found = answers({ 'a.ts': 'x;\n', ...many }).dependents('a.ts');
    expect([found?.lead, found?.items.length]).toEqual([
      'A change of `a.ts` can affect 201 files through imports.',
      200,
    ]);
  });
});
