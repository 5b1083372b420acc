import { resolve } from 'node:path';

/**
 * Returns a plugin that bundles the module at `other` wherever the one at `path` is imported. Both are relative to
 * `root`.
 */
export function swapModule(root, path, other) {
  const [original, replacement] = [path, other].map((file) => resolve(root, file));
  return {
    name: 'swap-module',
    async resolveId(id, importer, options) {
      if (importer === undefined) return undefined;
      const found = await this.resolve(id, importer, { ...options, skipSelf: true });
      return found?.id === original ? replacement : undefined;
    },
  };
}
