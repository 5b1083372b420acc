import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isFile } from './places.js';

/** Finds what the build compiled beforehand: the CommonJS module `<key>.cjs` of `folder`, run when it is first asked for; undefined where there is none. */
export function compiledModules(folder: string): (key: string) => unknown {
  const load = createRequire(join(folder, 'index.cjs'));
  return (key) => {
    const file = join(folder, `${key}.cjs`);
    return isFile(file) ? load(file) : undefined;
  };
}
