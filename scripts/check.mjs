/**
 * All checks before a change is merged, group after group, up to the first group in which one fails: types, lint, retired
 * terms, import rules, unused exports and sizes beside the build; unit tests beside the drills that judge no time;
 * end-to-end tests; and, each alone, what judges times: the dashboard's budgets and the other drills of the quick tier.
 * Installs packages, a browser and shells first when they are missing. Ends with notes on mutants that are to be measured
 * anew: they fail nothing.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBrowser } from './build/browser.mjs';
import { installPackages, requireNode } from './build/install.mjs';
import { ensureShells } from './build/shells.mjs';
import { readStamp } from './build/stamp.mjs';
import { runBeside } from './check/run-step.mjs';
import { listSlowest } from './check/slowest.mjs';
import { listNotes } from './mutants/kept-scores.mjs';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const UNIT_REPORT = 'reports/unit.json';
const E2E_REPORT = 'reports/e2e.json';

const UNIT_REPORTERS = ['--reporter=default', '--reporter=json', `--outputFile.json=${UNIT_REPORT}`];

/** The steps of a group run beside each other. */
const GROUPS = [
  ['build', 'typecheck', 'lint', 'glossary', 'arrows', 'unused', 'sizes'].map((script) => ({ script })),
  [
    { script: 'test', args: UNIT_REPORTERS, title: 'unit' },
    { script: 'size' },
    // One at a time: some unit tests bound the time of what must never take long.
    { script: 'hard', args: ['--times', 'none', '--at-once', '1'], title: 'drills without times' },
  ],
  [{ script: 'e2e', args: ['--reporter=list,json'] }],
  [{ script: 'budgets' }],
  [{ script: 'hard', args: ['--times', 'only'], title: 'drills with times' }],
];

const readReports = () => [UNIT_REPORT, E2E_REPORT].map((report) => readStamp(join(root, report)));

/** Returns the counts of the test runners from the reports of this run. */
function countTests(unit, stats) {
  return {
    passed: (unit?.numPassedTests ?? 0) + (stats?.expected ?? 0) + (stats?.flaky ?? 0),
    // A file that cannot be loaded has no tests to count and is still a failure.
    failed: (unit ? Math.max(unit.numFailedTests, unit.success ? 0 : 1) : 0) + (stats?.unexpected ?? 0),
    skipped: (unit?.numPendingTests ?? 0) + (unit?.numTodoTests ?? 0) + (stats?.skipped ?? 0),
  };
}

const started = performance.now();
requireNode();
installPackages(root);
ensureBrowser(root);
ensureShells();
for (const report of [UNIT_REPORT, E2E_REPORT]) rmSync(join(root, report), { force: true });

const env = { ...process.env, PLAYWRIGHT_JSON_OUTPUT_NAME: join(root, E2E_REPORT), PLAYWRIGHT_HTML_OPEN: 'never' };
let failed = [];
for (const steps of GROUPS) {
  failed = await runBeside(steps, { root, env });
  if (failed.length > 0) break;
}

const [unit, browser] = readReports();
const slowest = listSlowest(unit, browser, root);
if (slowest.length > 0) console.log(`\nThe slowest tests:\n${slowest.join('\n')}`);
const notes = listNotes(root);
if (notes.length > 0) console.log(`\nMutants:\n${notes.join('\n')}`);
const counts = countTests(unit, browser?.stats);
const seconds = `${((performance.now() - started) / 1000).toFixed(1)} s`;
console.log(`\n${failed.length === 0 ? 'Everything holds' : `Stopped: ${failed.join(', ')} failed`}, ${seconds}.`);
console.log(
  `${counts.passed} passed, ${counts.failed} failed${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''}`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
