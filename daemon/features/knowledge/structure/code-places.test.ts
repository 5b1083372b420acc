import { expect, it } from 'vitest';
import { openCodeGraphs } from '../../../testing/parts/code-structure.js';
import { findCode } from './code-places.js';

const build = openCodeGraphs();
const FILES = {
  'src/lamp.ts':
    "/** A lamp. */\nexport class Lamp {\n  light() {}\n}\napp.get('/lamps', list);\napp.post('/roads', add);\n" +
    "const port = process.env.LAMP_PORT ?? '80';\nconst host = process.env.LAMP_HOST;\n",
  'src/use.ts': "import { Lamp } from './lamp.js';\nimport fs from 'node:fs';\nnew Lamp().light();\nfs.open();\n",
  'src/alone.ts': 'export const alone = 1;\n',
  'test/lamp.test.ts': "import { Lamp } from '../src/lamp.js';\nnew Lamp();\n",
};
const find = (...[query, name]: [Parameters<typeof findCode>[1], string?]) =>
  findCode(build(FILES).queries, query, name);

it('finds definitions, with what is said of them', () => {
  expect(find('defs', 'Lamp')).toEqual({
    ...{ state: 'ready', is_known: true, total: 1, files: 1, by_name: false, near: [] },
    places: [
      {
        ...{ path: 'src/lamp.ts', start_line: 2, end_line: 4, text: 'class Lamp', container: '' },
        ...{ kind: 'class', doc: 'A lamp.', is_source: true },
      },
    ],
  });
});

it('says nothing of a doc comment that is not there, and names that are near one that is unknown', () => {
  expect(find('defs', 'light').places).toEqual([
    {
      path: 'src/lamp.ts',
      start_line: 3,
      end_line: 3,
      text: 'light()',
      container: 'Lamp',
      kind: 'method',
      is_source: true,
    },
  ]);
  expect(find('defs', 'Lamps')).toMatchObject({ is_known: false, total: 0, files: 0, places: [], near: ['Lamp'] });
  expect(find('refs', 'lighter')).toMatchObject({ is_known: false, near: ['light'] });
});

it('finds the uses of a name, sources first, also of one of a library', () => {
  expect(find('refs', 'Lamp')).toMatchObject({ is_known: true, total: 2, files: 2, near: [] });
  expect(find('refs', 'Lamp').places.map(({ path, is_source }) => [path, is_source])).toEqual([
    ['src/use.ts', true],
    ['test/lamp.test.ts', false],
  ]);
  expect(find('refs', 'fs.open')).toMatchObject({ is_known: true, total: 1, by_name: true });
  expect(find('refs', 'alone')).toMatchObject({ is_known: true, total: 0, near: [] });
});

it('finds who imports a file or package, and knows a file that nobody imports', () => {
  expect(find('imports', 'src/lamp.ts')).toMatchObject({ is_known: true, total: 2 });
  expect(find('imports', 'node:fs')).toMatchObject({ is_known: true, total: 1 });
  expect(find('imports', 'src/alone.ts')).toMatchObject({ is_known: true, total: 0, near: [] });
  expect(find('imports', 'lamp')).toMatchObject({ is_known: true, total: 2 });
  expect(find('imports', 'Lamps')).toMatchObject({ is_known: false, total: 0, near: ['Lamp'] });
});

it('finds all reads of the environment, or those of one variable', () => {
  expect(find('env')).toMatchObject({ is_known: true, total: 2, near: [] });
  expect(find('env').places[0]).toMatchObject({ text: 'LAMP_PORT', container: "'80'", start_line: 7 });
  expect(find('env', 'LAMP_HOST')).toMatchObject({ is_known: true, total: 1 });
  expect(find('env', 'Lamp')).toMatchObject({ is_known: false, total: 0, near: [] });
});

it('finds all routes, or those that contain a part', () => {
  expect(find('routes')).toMatchObject({ is_known: true, total: 2 });
  expect(find('routes', '/road').places).toMatchObject([{ text: 'POST /roads', container: 'add' }]);
  expect(find('routes', 'Lamp')).toMatchObject({ is_known: false, total: 0, near: [] });
});

it('knows everything of a project without reads or routes, and nothing without a name', () => {
  const { queries } = build({ 'a.ts': 'export {};\n' });
  expect(findCode(queries, 'env', undefined)).toMatchObject({ is_known: true, total: 0 });
  expect(findCode(queries, 'routes', undefined)).toMatchObject({ is_known: true, total: 0 });
  for (const query of ['defs', 'refs', 'imports'] as const)
    expect(findCode(queries, query, undefined)).toEqual({
      ...{ state: 'ready', is_known: false, total: 0, files: 0, by_name: false, places: [], near: [] },
    });
});
