import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, mergeConfig } from 'vitest/config';
import base from '../vitest.config.js';
import { ReusedThread } from './reused-thread.js';

// Stryker runs tests in threads, which refuse the memory options of the processes that `npm test` uses.
const { include: _, globalSetup: __, execArgv: ___, ...test } = base.test ?? {};
const root = fileURLToPath(new URL('../..', import.meta.url));
const folders = (process.env['MUTANTS_TESTS'] ?? '').split(',').filter((folder) => existsSync(`${root}${folder}`));

/** Tests that start the built program would measure its build instead of the mutants, so no build is made for them. */
export default mergeConfig(
  { ...base, test },
  defineConfig({
    plugins: [
      {
        name: 'reused-threads',
        // Stryker asks for Vitest's own threads, whatever `pool` says here.
        configureVitest: ({ project }) => {
          project.config.pool = 'reused-thread';
          project.config.poolRunner = {
            name: 'reused-thread',
            createPoolWorker: (options) => new ReusedThread(options),
          };
        },
      },
    ],
    test: {
      include: folders.flatMap((folder) =>
        readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
          .filter((name) => name.endsWith('.test.ts'))
          .map((name) => `${folder}/${name}`),
      ),
      // The files of one mutant share a thread: most of the time is spent loading modules.
      isolate: false,
      setupFiles: [`${root}scripts/mutants/no-mutant.ts`],
      // A server that does not start is a failed test: Stryker would wait for its own limit, with the thread lost.
      testTimeout: 10_000,
      hookTimeout: 10_000,
    },
  }),
);
