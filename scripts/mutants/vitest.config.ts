import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, mergeConfig } from 'vitest/config';
import base from '../vitest.config.js';

const { include: _, globalSetup: __, ...test } = base.test ?? {};
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
      // A mutant of a module's constant is seen only by a test that loads the module anew.
      isolate: true,
      testTimeout: 60_000,
    },
  }),
);
