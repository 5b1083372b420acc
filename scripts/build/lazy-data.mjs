import { readFileSync } from 'node:fs';

/** Operations on the array, each of which needs its items. */
const READS = ['get', 'has', 'ownKeys', 'getOwnPropertyDescriptor'];

/** Returns the source of a module whose default export is the array in `json`, parsed when it is first read. */
function lazyArray(json) {
  const traps = READS.map((read) => `${read}: (items, ...rest) => Reflect.${read}(fill(items), ...rest)`);
  return `
let text = ${JSON.stringify(json)};
function fill(items) {
  if (text === undefined) return items;
  for (const item of JSON.parse(text)) items.push(item);
  text = undefined;
  return items;
}
export default new Proxy([], { ${traps.join(', ')} });
`;
}

/**
 * Returns a plugin that bundles the JSON files matching `id`, each an array, as text that is parsed when the array is
 * first read. An array literal of megabytes would be compiled at every start, also at those that never read it.
 */
export function lazyData(id) {
  return {
    name: 'lazy-data',
    load: {
      filter: { id },
      handler: (path) => ({
        code: lazyArray(JSON.stringify(JSON.parse(readFileSync(path, 'utf8')))),
        moduleType: 'js',
        moduleSideEffects: false,
      }),
    },
  };
}
