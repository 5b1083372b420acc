import { expect, it } from 'vitest';
import { openCodeGraphs } from '../../../../testing/parts/code-structure.js';
import type { FormName } from '../question-patterns.js';
import { answerList, answerVariable } from './list-answers.js';

const build = openCodeGraphs();
const FILES = {
  'src/a.ts':
    "export const x = process.env.LAMP_A ?? 'x';\nprocess.env.LAMP_B;\nprocess.env.LAMP_B;\napp.get('/lamps', list);\n" +
    "app.post('/roads', () => {});\nthrow new Gone('away');\nthrow new Gone('again');\nthrow new Bad();\n",
  'src/b.ts': "import './a.js';\n",
  'test/c.ts': 'process.env.LAMP_C;\n',
  'package.json': '{\n"main": "src/a.ts",\n"scripts": {\n"build": "tsc",\n"test": "vitest"\n}\n}\n',
};
const list = (form: FormName, asked = {}, files: Record<string, string> = FILES) =>
  answerList(form, build(files).queries, asked);
const labels = (form: FormName) =>
  list(form)?.items.map(({ path, startLine, label }) => `${path}:${startLine} ${label}`);

it('says which environment variables are read, and which only by tests', () => {
  expect(list('environment')?.lead).toBe(
    'The project reads 2 environment variables in 3 places: `LAMP_A`, `LAMP_B`. ' +
      'Only its tests, examples and build scripts read `LAMP_C`.',
  );
  expect(labels('environment')).toEqual([
    "src/a.ts:1 `LAMP_A`, default `'x'`",
    'src/a.ts:2 `LAMP_B`',
    'src/a.ts:3 `LAMP_B`',
  ]);
  const scope = { languages: [], without: [], folders: [], includesTests: true };
  expect(list('environment', { scope })?.lead).toBe(
    'The project reads 3 environment variables in 4 places: `LAMP_A`, `LAMP_B`, `LAMP_C`.',
  );
});

it('names up to sixty variables', () => {
  const reads = (count: number) => Array.from({ length: count }, (_, at) => `process.env.HOME_${at};\n`).join('');
  expect(list('environment', {}, { 'a.ts': reads(60) })?.lead).toMatch(/`HOME_59`\.$/);
  expect(list('environment', {}, { 'a.ts': reads(61) })?.lead).toMatch(/`HOME_59`, and 1 more\.$/);
  const tests = { 'a.ts': 'process.env.HOME;\n', 'test/a.ts': reads(61) };
  expect(list('environment', {}, tests)?.lead).toMatch(/`HOME_59`, and 1 more\.$/);
});

it('counts routes, scripts and errors', () => {
  expect(list('routes')?.lead).toBe('The project has 2 routes in 1 file.');
  expect(labels('routes')).toEqual(['src/a.ts:4 `GET /lamps` (`list`)', 'src/a.ts:5 `POST /roads`']);
  expect(list('scripts')?.lead).toBe('The project has 2 scripts: `npm run build`, `npm run test`.');
  expect(labels('scripts')).toEqual(['package.json:4 `npm run build`', 'package.json:5 `npm run test`']);
  expect(list('errors')?.lead).toBe('The project throws or returns 2 kinds of errors in 3 places: `Gone`, `Bad`.');
  expect(labels('errors')).toEqual(['src/a.ts:6 `Gone`', 'src/a.ts:7 `Gone`', 'src/a.ts:8 `Bad`']);
});

it('says where the project starts, in up to three places', () => {
  expect(list('entries')?.lead).toBe(
    'The project starts in `src/a.ts` (package main, `package.json:2`), also in `src/a.ts` (package main, ' +
      '`src/a.ts:1`).',
  );
  expect(labels('entries')).toEqual([
    'package.json:2 `src/a.ts` (`package main`)',
    'src/a.ts:1 `src/a.ts` (`package main`)',
  ]);
  const main = 'int main(void) { return 0; }\n';
  expect(list('entries', {}, { 'a.c': main })?.lead).toBe('The project starts in `main` (main function, `a.c:1`).');
  const four = { 'a.c': main, 'b.c': main, 'c.c': main, 'd.c': main };
  expect(list('entries', {}, four)?.lead).toMatch(
    /and `main` \(main function, `c\.c:1`\)\. There are 4 entry points\.$/,
  );
  const three = { 'a.c': main, 'b.c': main, 'c.c': main };
  expect(list('entries', {}, three)?.lead).toMatch(/`c\.c:1`\)\.$/);
});

it('has the programs that are called as the project is first', () => {
  const manifest = '{\n"main": "x.js",\n"bin": {\n"other": "o.js",\n"lamp": "l.js"\n}\n}\n';
  expect(list('entries', { names: ['lamp'] }, { 'package.json': manifest })?.lead).toContain('starts in `lamp: l.js`');
  expect(list('entries', {}, { 'package.json': manifest })?.lead).toContain('starts in `x.js`');
});

it('names up to six main parts, and cites more', () => {
  expect(list('parts')?.lead).toBe('The parts that most of the project depends on: `src/a.ts`, `src/b.ts`.');
  expect(labels('parts')).toEqual(['src/a.ts:1 `x`', 'src/b.ts:1 ']);
  const many = Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`p${at}.ts`, `import './p${at + 1}.js';\n`]));
  const found = list('parts', {}, many);
  expect([found?.lead.match(/`p\d\.ts`/g)?.length, found?.total, found?.items.length]).toEqual([6, 8, 8]);
});

it('answers no empty list, and no other question', () => {
  for (const form of ['environment', 'routes', 'scripts', 'errors', 'entries', 'parts', 'callers'] as const)
    expect(list(form, {}, { 'a.ts': 'x;\n' })).toBeUndefined();
});

it('says where one variable is read, with its default', () => {
  const { queries } = build(FILES);
  expect(answerVariable('LAMP_A', queries)).toMatchObject({
    ...{ lead: '`LAMP_A` is read in 1 place.', total: 1, items: [{ path: 'src/a.ts', label: "default `'x'`" }] },
  });
  expect(answerVariable('LAMP_B', queries)).toMatchObject({
    ...{ lead: '`LAMP_B` is read in 2 places.', total: 2, items: [{ label: '' }, { label: '' }] },
  });
  expect(answerVariable('LAMP_NONE', queries)).toBeUndefined();
});
