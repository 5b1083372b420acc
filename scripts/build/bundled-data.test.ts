import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';
import { getMetaCheck, type MetaCheck } from '../../daemon/lib/agents/meta-schema.js';
import { temporaryFolder } from '../../daemon/testing/temporary-folder.js';
import { compiledMetaSchema } from './compiled-meta-schema.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** Bundles `input` with a plugin of the build, and returns the code and what it exports. */
async function bundle(input: string, plugin: Plugin): Promise<{ code: string; exports: Record<string, unknown> }> {
  const folder = temporaryFolder();
  const build = await rolldown({ cwd: ROOT, input, platform: 'node', plugins: [plugin] });
  const { output } = await build.write({ dir: folder, format: 'esm', entryFileNames: 'bundle.mjs' });
  await build.close();
  return { code: output[0].code, exports: await import(pathToFileURL(join(folder, 'bundle.mjs')).href) };
}

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
