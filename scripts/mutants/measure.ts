import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Stryker } from '@stryker-mutator/core';
import { openTestFolder } from '../test-folder.js';
import type { MutantResult } from './score.js';

type Options = ConstructorParameters<typeof Stryker>[0];

/** A mutant whose tests take this much longer than usual loops for ever. Long, because a busy machine is slow. */
const TIMEOUT_MS = 30_000;
const PLACE = join('reports', 'mutants');

export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** Runs the tests of `testFolders` for the mutants of `files`, with the further options of Stryker. */
export async function measure(
  files: readonly string[],
  testFolders: readonly string[],
  options: Options,
): Promise<MutantResult[]> {
  mkdirSync(join(root, PLACE), { recursive: true });
  process.chdir(root);
  process.env['MUTANTS_TESTS'] = testFolders.join(',');
  const closeTestFolder = openTestFolder();
  process.env['XDG_STATE_HOME'] = mkdtempSync(join(tmpdir(), 'meshd-test-state-'));
  const stryker = new Stryker({
    testRunner: 'vitest',
    vitest: { configFile: 'scripts/mutants/vitest.config.ts', related: true },
    mutate: [...files],
    timeoutMS: TIMEOUT_MS,
    tempDirName: join(PLACE, 'sandbox'),
    ignorePatterns: ['.mesh', 'e2e', 'coverage', 'test-results', 'playwright-report'],
    // It would be rewritten with the compiler's JavaScript API, which TypeScript 7 does not have; nothing here reads it.
    tsconfigFile: 'none',
    reporters: ['progress-append-only'],
    logLevel: 'warn' as Options['logLevel'],
    allowConsoleColors: false,
    ...options,
  });
  try {
    return await stryker.runMutationTest();
  } finally {
    closeTestFolder();
  }
}

/** The options with which Stryker measures only what has changed since the last run of a folder. */
export const incrementalOf = (folder: string): Options => ({
  incremental: true,
  incrementalFile: join(PLACE, `${folder.replaceAll('/', '-')}.json`),
});

export const isMissed = ({ status }: MutantResult): boolean => status === 'Survived' || status === 'NoCoverage';
