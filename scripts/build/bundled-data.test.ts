import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';
import { getMetaCheck, type MetaCheck } from '../../daemon/lib/agents/meta-schema.js';
import { temporaryFolder } from '../../daemon/testing/temporary-folder.js';
import { compiledMetaSchema } from './compiled-meta-schema.mjs';
import { lazyData } from './lazy-data.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** Bundles `input` with a plugin of the build, and returns the code and what it exports. */
async function bundle(input: string, plugin: Plugin): Promise<{ code: string; exports: Record<string, unknown> }> {
  const folder = temporaryFolder();
  const build = await rolldown({ cwd: ROOT, input, platform: 'node', plugins: [plugin] });
  const { output } = await build.write({ dir: folder, format: 'esm', entryFileNames: 'bundle.mjs' });
  await build.close();
  return { code: output[0].code, exports: await import(pathToFileURL(join(folder, 'bundle.mjs')).href) };
}

describe('data kept as text', () => {
  it('is the array of the file for whatever reads it', async () => {
    const items = [{ word: 'a', count: 1 }, { word: '"`$\\' }, null, 7];
    const folder = temporaryFolder({
      'data.json': JSON.stringify(items),
      'entry.js':
        "import list from './data.json';\nexport const readers = { all: () => [...list], length: () => list.length, keys: () => Object.keys(list), json: () => JSON.stringify(list), has: () => 1 in list, isArray: () => Array.isArray(list) };\n",
    });
    const expected = { all: items, length: 4, keys: ['0', '1', '2', '3'], json: JSON.stringify(items), has: true };
    for (const [reader, value] of Object.entries({ ...expected, isArray: true })) {
      const { exports } = await bundle(join(folder, 'entry.js'), lazyData(/data\.json$/));
      const readers = exports['readers'] as Record<string, () => unknown>;
      expect(readers[reader]?.(), reader).toEqual(value);
    }
  });
});

describe('the compiled check of schemas', () => {
  it('accepts and refuses what the meta-schema does, for the same reasons', async () => {
    const { code, exports } = await bundle('daemon/lib/agents/meta-schema.ts', compiledMetaSchema(ROOT));
    expect(code).not.toContain('new Ajv2020');
    const compiled = (exports['getMetaCheck'] as () => MetaCheck)();
    const wrong = [
      { type: 'strin' },
      { properties: { a: { minLength: -1 } } },
      { $defs: { x: { items: 3 } } },
      { required: ['a', 'a'] },
      { unevaluatedProperties: { type: 5 } },
    ];
    for (const schema of [{}, true, { type: 'object', properties: { a: { $ref: '#' } } }, ...wrong]) {
      expect(compiled(schema)).toBe(getMetaCheck()(schema));
      expect(compiled.errors ?? []).toEqual(getMetaCheck().errors ?? []);
    }
    expect(wrong.filter((schema) => compiled(schema))).toEqual([]);
  });
});
