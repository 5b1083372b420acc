import { register } from 'node:module';

const LOADER = `import { readFile } from 'node:fs/promises';
export const load = async (url, context, next) =>
  url.endsWith('.sql')
    ? { format: 'module', shortCircuit: true, source: 'export default ' + JSON.stringify(await readFile(new URL(url), 'utf8')) }
    : next(url, context);`;

/** Makes modules of the daemon that are imported after the call import their SQL as text, as the bundle does. */
export function importSqlAsText(): void {
  register(`data:text/javascript,${encodeURIComponent(LOADER)}`);
}
