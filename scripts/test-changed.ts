/**
 * Runs the unit tests that concern the files changed since the last commit (or since `--since <commit>`) in under a
 * minute: changed tests, then those of changed files, their neighbours, and those that import a changed file through
 * others, nearest first, as many as fit by their durations in the last report. A first look: what a change breaks
 * elsewhere is found by `npm run check`.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findConcerned, fitInto } from './check/changed-tests.js';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const REPORT = join(root, 'reports/unit.json');
/** Seconds of tests that two threads run in three quarters of a minute, with room for a busy machine. */
const SECONDS = 60;
/** How many of the files that are left out are named: a file that many others import leaves out hundreds. */
const SHOWN = 10;

function git(...args: string[]): string[] {
  const output = execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  return output.split('\0').filter((path) => path !== '');
}

/** Returns the seconds that each test file took in the last run of all unit tests. */
function readDurations(): Map<string, number> {
  if (!existsSync(REPORT)) return new Map();
  const { testResults } = JSON.parse(readFileSync(REPORT, 'utf8')) as {
    testResults: { name: string; startTime: number; endTime: number }[];
  };
  return new Map(
    testResults.map(({ name, startTime, endTime }) => [relative(root, name), (endTime - startTime) / 1000]),
  );
}

const { values } = parseArgs({ options: { since: { type: 'string', default: 'HEAD' } } });
const changed = [
  ...git('diff', '--name-only', '--no-renames', '-z', values.since, '--'),
  ...git('ls-files', '--others', '--exclude-standard', '-z'),
];
const files = git(
  'ls-files',
  '--cached',
  '--others',
  '--exclude-standard',
  '-z',
  '--',
  'daemon',
  'ui',
  'scripts',
).filter((file) => /\.(?:tsx?|mjs)$/.test(file) && existsSync(join(root, file)));
const concerned = findConcerned(changed, files, (file) => readFileSync(join(root, file), 'utf8'));
const { taken, left } = fitInto(concerned, readDurations(), { seconds: SECONDS });
console.log(`${changed.length} changed files concern ${concerned.length} test files; ${taken.length} run.`);
if (left.length > 0)
  console.log(
    `Left out, they take too long: ${left.slice(0, SHOWN).join(', ')}` +
      `${left.length > SHOWN ? ` and ${left.length - SHOWN} more` : ''}. npm test runs them all.`,
  );
if (taken.length > 0) {
  const { status } = spawnSync('npm', ['run', '--silent', 'test', '--', ...taken.map((file) => join(root, file))], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  process.exitCode = status ?? 1;
}
