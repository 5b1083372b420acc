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
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { digestOf, goalOf, keepScore, listSources, type MutantScore, readScores } from './kept-scores.mjs';
import { incrementalOf, isMissed, measure, root } from './measure.js';
import { getScore, toLine } from './score.js';

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
const options = { ...incrementalOf(folder), concurrency: Number(values['at-once']), force: values.all };
const results = (await measure(mutated, tests, options)).filter(({ fileName }) =>
  mutated.includes(relative(root, fileName)),
);
const score: MutantScore = {
  folder,
  tests,
  ...getScore(results),
  date: new Date().toISOString().slice(0, 10),
  digest,
};
for (const survivor of results.filter(isMissed)) console.log(toLine(survivor, root));
if (only === undefined) keepScore(root, score);
const { killed, timed_out, survived, uncovered } = score;
console.log(
  `\n${only?.join(', ') ?? folder}: ${score.score} % of ${killed + timed_out + survived + uncovered} mutants were found ` +
    `(goal ${goalOf(folder)} %): ${killed} killed, ${timed_out} timed out, ${survived} survived, ` +
    `${uncovered} in code that no test runs.`,
);
