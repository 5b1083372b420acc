import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Lets tests import `.sql` and `.md` files as text, as the bundle does. */
const textFiles = {
  name: 'text-files',
  enforce: 'pre' as const,
  transform(code: string, id: string) {
    return /\.(sql|md)$/.test(id) ? { code: `export default ${JSON.stringify(code)};`, map: null } : undefined;
  },
};

/** Gives the dashboard an address for the data that the build serves, `#data/world.json?url`. Nothing is behind it. */
const dataAddresses = {
  name: 'data-addresses',
  enforce: 'pre' as const,
  resolveId: (id: string) => (id.startsWith('#data/') ? `\0${id}` : undefined),
  load: (id: string) => (id.startsWith('\0#data/') ? `export default ${JSON.stringify(id.slice(2))};` : undefined),
};

const root = fileURLToPath(new URL('..', import.meta.url));

/** Lets the workers, which are large, start git from a small process: see `start-git-beside.ts`. */
const startGitBeside = {
  name: 'start-git-beside',
  enforce: 'pre' as const,
  resolveId: (id: string, importer?: string) =>
    id === './start-git.js' && importer?.endsWith('/daemon/storage/git/git-command.ts')
      ? join(root, 'daemon/testing/processes/start-git-beside.ts')
      : undefined,
};

export default defineConfig({
  root,
  plugins: [textFiles, dataAddresses, startGitBeside],
  test: {
    include: ['daemon/**/*.test.ts', 'ui/**/*.test.{ts,tsx}', 'scripts/**/*.test.ts'],
    globalSetup: './scripts/vitest-build.ts',
    setupFiles: './scripts/vitest-worker.ts',
    // Threads would share one address space, whose page faults wait for each other: a sixth more processor time.
    pool: 'forks',
    maxWorkers: 2,
    // What a test creates is garbage when it ends: with the usual 16 MB much of it would first be copied, which costs a
    // fifteenth of all processor time.
    execArgv: ['--max-semi-space-size=64', '--min-semi-space-size=64'],
    // No product module holds state, so that test files can share loaded modules. Otherwise most of the time would be
    // spent loading them again.
    isolate: false,
    retry: 0,
    // Only a hung test is ended: a busy machine makes a test slow, not wrong.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
