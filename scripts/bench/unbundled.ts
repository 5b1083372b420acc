import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
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
    input: {
      main: 'daemon/main.ts',
      'knowledge-worker': 'daemon/features/knowledge/knowledge-worker.ts',
      'connection-table-worker': 'daemon/storage/connection-table-worker.ts',
    },
    platform: 'node',
    // Whatever is a package, but for what the bundler itself puts in.
    external: (id) => !/^(?:[./\0]|@oxc-project\/)/.test(id),
    moduleTypes: { '.sql': 'text', '.md': 'text' },
    onLog: () => undefined,
  });
  try {
    await bundle.write({ dir: folder, format: 'esm', preserveModules: true, entryFileNames: '[name].js' });
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
    return { folder, program: join(folder, 'main.js') };
  } finally {
    await bundle.close();
  }
}
