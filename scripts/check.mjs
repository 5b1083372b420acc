/**
 * All checks before a change is merged, in order, up to the first failure: types, lint, retired terms, import rules,
 * unused exports, sizes of functions and folders, unit tests, build, size, end-to-end tests, the dashboard's budgets, the
 * quick tier of the drills. Installs packages, a browser and shells first when they are missing.
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBrowser } from './build/browser.mjs';
import { installPackages, requireNode } from './build/install.mjs';
import { ensureShells } from './build/shells.mjs';
import { readStamp } from './build/stamp.mjs';

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const UNIT_REPORT = 'reports/unit.json';
const E2E_REPORT = 'reports/e2e.json';

const STEPS = [
  ['typecheck'],
  ['lint'],
  ['glossary'],
  ['arrows'],
  ['unused'],
  ['sizes'],
  ['test', '--reporter=default', '--reporter=json', `--outputFile.json=${UNIT_REPORT}`],
  ['build'],
  ['size'],
  ['e2e', '--reporter=list,json'],
  ['budgets'],
  ['hard'],
];
const TITLES = { test: 'unit' };

/** Returns the counts of the test runners from the reports of this run. */
function countTests() {
  const unit = readStamp(join(root, UNIT_REPORT));
  const stats = readStamp(join(root, E2E_REPORT))?.stats;
  return {
    passed: (unit?.numPassedTests ?? 0) + (stats?.expected ?? 0) + (stats?.flaky ?? 0),
    // A file that cannot be loaded has no tests to count and is still a failure.
    failed: (unit ? Math.max(unit.numFailedTests, unit.success ? 0 : 1) : 0) + (stats?.unexpected ?? 0),
    skipped: (unit?.numPendingTests ?? 0) + (unit?.numTodoTests ?? 0) + (stats?.skipped ?? 0),
  };
}

const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

function run([script, ...args]) {
  const started = performance.now();
  const title = TITLES[script] ?? script;
  console.log(`\n── ${title}`);
  const { status } = spawnSync('npm', ['run', '--silent', script, ...(args.length > 0 ? ['--', ...args] : [])], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PLAYWRIGHT_JSON_OUTPUT_NAME: join(root, E2E_REPORT), PLAYWRIGHT_HTML_OPEN: 'never' },
    shell: process.platform === 'win32',
  });
  console.log(`── ${title}: ${status === 0 ? 'ok' : 'FAILED'}, ${seconds(started)}`);
  return status === 0 ? undefined : title;
}

const started = performance.now();
requireNode();
installPackages(root);
ensureBrowser(root);
ensureShells();
for (const report of [UNIT_REPORT, E2E_REPORT]) rmSync(join(root, report), { force: true });

let failed;
for (const step of STEPS) {
  failed = run(step);
  if (failed !== undefined) break;
}

const counts = countTests();
console.log(`\n${failed === undefined ? 'Everything holds' : `Stopped: ${failed} failed`}, ${seconds(started)}.`);
console.log(
  `${counts.passed} passed, ${counts.failed} failed${counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''}`,
);
process.exitCode = failed === undefined ? 0 : 1;
