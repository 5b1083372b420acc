/** Returns a plugin that provides `sources` as modules, each under its key. */
export function inMemory(sources) {
  return {
    name: 'in-memory',
    resolveId: (id) => (Object.hasOwn(sources, id) ? `${id}.cjs` : undefined),
    load: (id) => sources[id.replace(/\.cjs$/, '')],
  };
}
