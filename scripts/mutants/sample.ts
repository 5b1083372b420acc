/**
 * Estimates how many faults the tests find where measuring every mutant takes too long: draws a part of the mutants of
 * each folder and runs the tests of that folder for them. Prints the faults that no test found and keeps the result in
 * `scripts/mutants/sample.json`, folder by folder, so that a draw that was ended goes on with `--missing`.
 *
 * `npm run mutants:sample -- [<folder>]... [--percent 4] [--seed 1] [--at-once 2] [--missing]`
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { digestOf, listSources, readScores } from './kept-scores.mjs';
import { isMissed, measure, root } from './measure.js';
import { isDrawn, PART, SEED } from './sampled-mutants.mjs';
import { getInterval, getScore, type MutantCounts, shareOf, toLine } from './score.js';

interface Sample extends ReturnType<typeof getScore> {
  folder: string;
  percent: number;
  seed: string;
  date: string;
  digest: string;
}

const FILE = join(root, 'scripts/mutants/sample.json');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    percent: { type: 'string', default: '4' },
    seed: { type: 'string', default: '1' },
    'at-once': { type: 'string', default: '2' },
    missing: { type: 'boolean', default: false },
  },
});
const percent = Number(values.percent);
const seed = values.seed;
const features = readdirSync(join(root, 'daemon/features')).map((name) => `daemon/features/${name}`);
const every = [...features, 'daemon/http', 'daemon/lib', 'daemon/storage'].filter((one) => digestOf(root, one));
const folders = positionals.length > 0 ? positionals.map((one) => one.replace(/\/$/, '')) : every;
const unknown = folders.find((one) => !every.includes(one));
if (unknown !== undefined || !(percent > 0 && percent <= 100)) {
  console.error(
    unknown === undefined
      ? `--percent is from above 0 to 100, not ${values.percent}.`
      : `${unknown} is none of ${every.join(', ')}.`,
  );
  process.exit(2);
}

const readSamples = (): Sample[] => JSON.parse(readFileSync(FILE, 'utf8')) as Sample[];
const isKept = (folder: string) =>
  readSamples().some((one) => one.folder === folder && one.seed === seed && one.percent === percent);

process.env[PART] = String(percent / 100);
process.env[SEED] = seed;
for (const folder of folders) {
  if (values.missing && isKept(folder)) continue;
  await sample(folder).catch((error: unknown) => {
    console.error(`${folder} could not be measured: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  });
}
const samples = readSamples();
for (const one of samples) console.log(`${one.folder}: ${describe(one)}`);
const sum = (key: keyof MutantCounts) => samples.reduce((total, one) => total + one[key], 0);
const [killed, timed_out, survived, uncovered] = [sum('killed'), sum('timed_out'), sum('survived'), sum('uncovered')];
console.log(`over all: ${describe({ killed, timed_out, survived, uncovered })}`);

async function sample(folder: string): Promise<void> {
  const tests = readScores(root).find((one) => one.folder === folder)?.tests ?? [folder];
  const sources = listSources(root, folder);
  const measured = await measure(sources, tests, {
    concurrency: Number(values['at-once']),
    checkers: ['sample'],
    plugins: ['@stryker-mutator/vitest-runner', fileURLToPath(new URL('sampled-mutants.mjs', import.meta.url))],
  });
  // The checker is not asked about mutants in code that no test runs.
  const results = measured.filter((mutant) => {
    const fileName = relative(root, mutant.fileName);
    if (!sources.includes(fileName)) return false;
    return (
      mutant.status !== 'NoCoverage' ||
      isDrawn({ ...mutant, fileName, replacement: mutant.replacement ?? '' }, percent / 100, seed)
    );
  });
  for (const missed of results.filter(isMissed)) console.log(toLine(missed, root));
  const kept: Sample = {
    folder,
    percent,
    seed,
    ...getScore(results),
    date: new Date().toISOString().slice(0, 10),
    digest: digestOf(root, folder) ?? '',
  };
  console.log(`${folder}: ${describe(kept)}`);
  const all = [...readSamples().filter((one) => one.folder !== folder), kept];
  all.sort((a, b) => (a.folder < b.folder ? -1 : 1));
  writeFileSync(FILE, `${JSON.stringify(all, null, 2)}\n`);
}

function describe(counts: MutantCounts): string {
  const { found, all, score } = shareOf(counts);
  const [low, high] = getInterval(found, all);
  return `${score} % of ${all} mutants were found, with 95 % certainty ${low} to ${high} % of all`;
}
