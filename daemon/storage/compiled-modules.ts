import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isFile } from './places.js';

/**
 * Returns a function that loads modules compiled by the build: the CommonJS module `<key>.cjs` of `folder`, run on its
 * first use. It returns undefined where the module does not exist, or where the system cannot read it at present.
 */
export function compiledModules(folder: string): (key: string) => unknown {
  const load = createRequire(join(folder, 'index.cjs'));
  return (key) => {
    const file = join(folder, `${key}.cjs`);
    try {
      return isFile(file) ? load(file) : undefined;
    } catch (error) {
      if (isOfSystem(error)) return undefined;
      throw error;
    }
  };
}

/** Reports whether a system call failed, as opposed to the module's own code. */
const isOfSystem = (error: unknown) => typeof (error as { syscall?: unknown } | null)?.syscall === 'string';
