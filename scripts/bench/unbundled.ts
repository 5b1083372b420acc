import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The same daemon as a program of many files: each of its modules in one of its own, every package loaded from where it is installed, nothing kept of
 * what V8 compiled. Gives the folder, which is among the packages so that they are found, and the program in it.
 */
export async function buildUnbundled(): Promise<{ folder: string; program: string }> {
  const cache = join(root, 'node_modules/.cache/meshd');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'unbundled-'));
  const bundle = await rolldown({
    cwd: root,
    input: { main: 'daemon/main.ts' },
    platform: 'node',
    external: (id) => !/^[./\0]/.test(id),
    moduleTypes: { '.sql': 'text', '.md': 'text' },
    onLog: () => undefined,
  });
  try {
    const { output } = await bundle.write({ dir: folder, format: 'esm', preserveModules: true, entryFileNames: '[name].mjs' });
    const entry = output.find((file) => file.type === 'chunk' && file.isEntry);
    if (!entry) throw new Error('The daemon of many files has no entry.');
    return { folder, program: join(folder, entry.fileName) };
  } finally {
    await bundle.close();
  }
}
