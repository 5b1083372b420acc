import { register } from 'node:module';

/**
 * Loader that imports SQL and prompt files as text, as the bundle does. Must be loaded before any module of the daemon.
 */
const AS_TEXT = `import { readFile } from 'node:fs/promises';
export const load = async (url, context, next) =>
  /\\.(sql|md)$/.test(url)
    ? { format: 'module', shortCircuit: true, source: 'export default ' + JSON.stringify(await readFile(new URL(url), 'utf8')) }
    : next(url, context);`;

register(`data:text/javascript,${encodeURIComponent(AS_TEXT)}`);
