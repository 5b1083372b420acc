/**
 * Measures how many faults the tests of a folder find: Stryker changes one place of its sources after another and runs
 * the tests that reach that place. Prints the faults that no test found and keeps the score in
 * `scripts/mutants/scores.json`, which `npm run check` compares. A repeated run measures only what has changed.
 *
 * `npm run mutants -- <folder> [--only <file>]... [--tests <folder>]... [--at-once 2] [--all]`
 *
 * The tests are those in the folders given with `--tests`, by default those of the last measurement or of the folder
 * itself. `--only` measures some files of the folder and keeps no score, but a later run of the whole folder uses the
 * results, so that a large folder can be measured in parts. `--all` measures everything anew.
 */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { openTestFolder } from '../test-folder.js';
import { digestOf, goalOf, keepScore, listSources, type MutantScore, readScores } from './kept-scores.mjs';
import { getScore, type MutantResult, toLine } from './score.js';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
type Options = ConstructorParameters<typeof Stryker>[0];

/** A mutant whose tests take this much longer than usual loops for ever. Long, because a busy machine is slow. */
const TIMEOUT_MS = 30_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', multiple: true },
    tests: { type: 'string', multiple: true },
    'at-once': { type: 'string', default: '2' },
    all: { type: 'boolean', default: false },
  },
});
const folder = positionals[0]?.replace(/\/$/, '');
const digest = folder?.startsWith('daemon/') ? digestOf(root, folder) : undefined;
if (folder === undefined || positionals.length !== 1 || digest === undefined) {
  console.error(`Name one folder of sources, such as daemon/http${folder === undefined ? '' : `, not ${folder}`}.`);
  process.exit(2);
}
const sources = listSources(root, folder);
const only = values.only?.map((name) => join(folder, name));
const unknown = only?.find((path) => !sources.includes(path));
if (unknown !== undefined) {
  console.error(`--only names ${unknown}, which is no source of ${folder}: it holds ${sources.join(', ')}.`);
  process.exit(2);
}

const kept = readScores(root).find((one) => one.folder === folder);
const tests = values.tests ?? kept?.tests ?? [folder];
const mutated = only ?? sources;
const results = (await measure(folder, mutated, tests)).filter(({ fileName }) =>
  mutated.includes(relative(root, fileName)),
);
const score: MutantScore = {
  folder,
  tests,
  ...getScore(results),
  date: new Date().toISOString().slice(0, 10),
  digest,
};
const survivors = results.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
for (const survivor of survivors) console.log(toLine(survivor, root));
if (only === undefined) keepScore(root, score);
const { killed, timed_out, survived, uncovered } = score;
console.log(
  `\n${only?.join(', ') ?? folder}: ${score.score} % of ${killed + timed_out + survived + uncovered} mutants were found ` +
    `(goal ${goalOf(folder)} %): ${killed} killed, ${timed_out} timed out, ${survived} survived, ` +
    `${uncovered} in code that no test runs.`,
);

async function measure(
  measured: string,
  files: readonly string[],
  testFolders: readonly string[],
): Promise<MutantResult[]> {
  const place = join('reports', 'mutants');
  mkdirSync(join(root, place), { recursive: true });
  process.chdir(root);
  process.env['MUTANTS_TESTS'] = testFolders.join(',');
  const closeTestFolder = openTestFolder();
  process.env['XDG_STATE_HOME'] = mkdtempSync(join(tmpdir(), 'meshd-test-state-'));
  const stryker = new Stryker({
    testRunner: 'vitest',
    vitest: { configFile: 'scripts/mutants/vitest.config.ts', related: true },
    mutate: [...files],
    concurrency: Number(values['at-once']),
    incremental: true,
    incrementalFile: join(place, `${measured.replaceAll('/', '-')}.json`),
    force: values.all,
    timeoutMS: TIMEOUT_MS,
    tempDirName: join(place, 'sandbox'),
    ignorePatterns: ['.mesh', 'e2e', 'coverage', 'test-results', 'playwright-report'],
    // It would be rewritten with the compiler's JavaScript API, which TypeScript 7 does not have; nothing here reads it.
    tsconfigFile: 'none',
    reporters: ['progress-append-only'],
    logLevel: 'warn' as Options['logLevel'],
    allowConsoleColors: false,
  });
  try {
    return await stryker.runMutationTest();
  } finally {
    closeTestFolder();
  }
}
