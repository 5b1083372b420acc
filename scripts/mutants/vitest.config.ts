import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, mergeConfig } from 'vitest/config';
import base from '../vitest.config.js';

// Stryker runs tests in threads, which refuse the memory options of the processes that `npm test` uses.
const { include: _, globalSetup: __, execArgv: ___, ...test } = base.test ?? {};
const root = fileURLToPath(new URL('../..', import.meta.url));
const folders = (process.env['MUTANTS_TESTS'] ?? '').split(',').filter((folder) => existsSync(`${root}${folder}`));

/** Tests that start the built program would measure its build instead of the mutants, so no build is made for them. */
export default mergeConfig(
  { ...base, test },
  defineConfig({
    test: {
      include: folders.flatMap((folder) =>
        readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
          .filter((name) => name.endsWith('.test.ts'))
          .map((name) => `${folder}/${name}`),
      ),
      // Each mutant has a new thread, which loads every module anew, so that also mutants of a module's constants are
      // seen. The files of one mutant share that thread: most of the time is spent loading modules.
      isolate: false,
      testTimeout: 60_000,
    },
  }),
);
