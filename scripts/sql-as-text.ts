import { register } from 'node:module';

/** The daemon's sources import their SQL and prompts as text, as the bundle does. To be loaded before any of them is. */
const AS_TEXT = `import { readFile } from 'node:fs/promises';
export const load = async (url, context, next) =>
  /\\.(sql|md)$/.test(url)
    ? { format: 'module', shortCircuit: true, source: 'export default ' + JSON.stringify(await readFile(new URL(url), 'utf8')) }
    : next(url, context);`;

register(`data:text/javascript,${encodeURIComponent(AS_TEXT)}`);
