import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Builds the daemon as separate files: each module in its own file, every package loaded from where it is installed,
 * without V8's code cache. Returns the folder, which is inside node_modules so that packages are found, and the program
 * in it.
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
      'connection-table-worker': 'daemon/storage/peers/connection-table-worker.ts',
    },
    platform: 'node',
    // Every package, except what the bundler itself adds.
    external: (id) => !/^(?:[./\0]|@oxc-project\/)/.test(id),
    moduleTypes: { '.sql': 'text', '.md': 'text' },
    onLog: () => undefined,
  });
  try {
    await bundle.write({ dir: folder, format: 'esm', preserveModules: true, entryFileNames: '[name].js' });
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
    const program = join(folder, 'start.js');
    writeFileSync(program, `import { run } from './main.js';\nrun('');\n`);
    return { folder, program };
  } finally {
    await bundle.close();
  }
}
