import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isFile } from './places.js';

/**
 * Finds what the build compiled beforehand: the CommonJS module `<key>.cjs` of `folder`, run when it is first asked for; undefined where there is none, or
 * where the system does not let it be read now.
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

/** Whether a call of the system failed, and not what the module does. */
const isOfSystem = (error: unknown) => typeof (error as { syscall?: unknown } | null)?.syscall === 'string';
