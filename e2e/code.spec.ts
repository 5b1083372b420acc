import type { CodePlaces, CodeQuery } from '../daemon/contract/code.js';
import { expect, test } from './fixtures.js';

const PYTHON = `import os


def tide_level(station):
    """Returns the height of the water."""
    return int(os.environ.get("TIDE_BASE", "3"))
`;
const FLASK = `from flask import Flask

from harbour.tides import tide_level

app = Flask(__name__)


@app.get("/tides")
def list_tides():
    return str(tide_level("quay"))
`;

test.use({
  files: {
    'src/beam.ts': "export function turnBeam(): string {\n  return process.env['BEAM_MODE'] ?? 'slow';\n}\n",
    'src/keeper.ts': "import { turnBeam } from './beam.js';\n\nexport const watch = () => turnBeam();\n",
    'harbour/__init__.py': '',
    'harbour/tides.py': PYTHON,
    'harbour/app.py': FLASK,
  },
});

test('`meshd code` finds definitions, uses, imports, variables and routes in TypeScript and Python', async ({
  project,
}) => {
  const look = async (query: CodeQuery, ...name: string[]) =>
    JSON.parse(await project.meshd('code', query, ...name, '--json')) as CodePlaces;
  const places = async (query: CodeQuery, ...name: string[]) =>
    (await look(query, ...name)).places.map(({ path, start_line, container }) => `${path}:${start_line} ${container}`);

  expect(await look('defs', 'turnBeam')).toMatchObject({ state: 'ready', is_known: true, total: 1, near: [] });
  expect(await places('defs', 'turnBeam')).toEqual(['src/beam.ts:1 ']);
  expect(await places('refs', 'turnBeam')).toEqual(['src/keeper.ts:3 watch']);
  expect(await places('imports', 'src/beam.ts')).toEqual(['src/keeper.ts:1 ']);
  expect(await places('env', 'BEAM_MODE')).toEqual(["src/beam.ts:2 'slow'"]);

  expect(await places('defs', 'tide_level')).toEqual(['harbour/tides.py:4 ']);
  expect(await places('refs', 'tide_level')).toEqual(['harbour/app.py:10 list_tides']);
  expect(await places('imports', 'harbour/tides.py')).toEqual(['harbour/app.py:3 ']);
  expect(await places('env', 'TIDE_BASE')).toEqual(['harbour/tides.py:6 "3"']);
  expect(await places('routes', '/tides')).toEqual(['harbour/app.py:8 list_tides']);

  expect(await project.meshd('code', 'defs', 'tide_level')).toBe('harbour/tides.py:4  def tide_level(station):\n');
  await expect(project.meshd('code', 'defs', 'tide_leve')).rejects.toMatchObject({
    code: 4,
    stderr: 'meshd: The code has no definition of tide_leve. Near it: tide_level.\n',
  });
});
