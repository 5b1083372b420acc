import { resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';

const MODULE = 'daemon/lib/agents/meta-schema.ts';
const ID = 'https://json-schema.org/draft/2020-12/schema';
const COMPILED = 'compiled-meta-schema.cjs';
/** The options of `PLAIN` in the module. */
const PLAIN = { strict: false, allErrors: false, validateFormats: false, logger: false };

/** Returns the source of a CommonJS module that exports the check of schemas. */
function getCheck() {
  const ajv = new Ajv2020({ ...PLAIN, code: { source: true } });
  return (standalone.default ?? standalone)(ajv, ajv.getSchema(ID));
}

/**
 * Returns a plugin that replaces the module of the meta-schema by one with the compiled check. Compiling it is a tenth
 * of the daemon's start.
 */
export function compiledMetaSchema(root) {
  const replaced = resolve(root, MODULE);
  return {
    name: 'compiled-meta-schema',
    resolveId: (id) => (id === COMPILED ? resolve(root, 'node_modules/.cache', COMPILED) : undefined),
    load(id) {
      if (id === resolve(root, 'node_modules/.cache', COMPILED)) return getCheck();
      if (id !== replaced) return undefined;
      return {
        code: `import check from '${COMPILED}';
export const PLAIN = ${JSON.stringify(PLAIN)};
export const getMetaCheck = () => check;`,
        moduleType: 'js',
      };
    },
  };
}
