/**
 * Tries every page and the main flows in the browsers of `e2e/browsers/browsers.ts`: `npm run browsers`. Debian's
 * packages of them are unpacked into a temporary folder, once; nothing is installed. Options after `--` go to
 * Playwright, for example `--project firefox-newest`. A browser that is not available is reported as not run.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BROWSERS, findProgram, libraryPath } from '../../e2e/browsers/browsers.js';
import { unpackBrowser } from './debian.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const REPORT = `${ROOT}test-results/browsers.json`;

interface Suite {
  suites?: Suite[];
  specs?: { tests: { projectName: string; status: 'expected' | 'unexpected' | 'flaky' | 'skipped' }[] }[];
}

const testsOf = ({ suites = [], specs = [] }: Suite): NonNullable<Suite['specs']>[number]['tests'] => [
  ...suites.flatMap(testsOf),
  ...specs.flatMap(({ tests }) => tests),
];

const missing = new Map<string, string>();
const versions = new Map<string, string>();
for (const browser of BROWSERS) {
  if (!findProgram(browser)) {
    const tried = await unpackBrowser(browser).catch((error: Error) => error);
    if (tried instanceof Error) missing.set(browser.name, tried.message.split('\n')[0] ?? '');
    else if (tried === undefined) missing.set(browser.name, `no version of ${browser.packages[0]} is on offer`);
  }
  const program = findProgram(browser);
  if (!program) continue;
  const env = { ...process.env, LD_LIBRARY_PATH: libraryPath(browser) };
  versions.set(browser.name, spawnSync(program, ['--version'], { env, encoding: 'utf8' }).stdout.trim());
}

const [first] = BROWSERS;
if (!first || missing.has(first.name)) {
  console.error(
    `Not run: the others are compared with ${first?.name}, which is missing: ${missing.get(first?.name ?? '')}`,
  );
  process.exit(1);
}
const args = ['playwright', 'test', '--config', 'e2e/browsers/playwright.config.ts', ...process.argv.slice(2)];
const { status } = spawnSync('npx', args, {
  cwd: ROOT,
  stdio: 'inherit',
  env: { ...process.env, PLAYWRIGHT_HTML_OPEN: 'never' },
});
const tests = testsOf(JSON.parse(readFileSync(REPORT, 'utf8')) as Suite);
console.log('');
for (const { name } of BROWSERS) {
  const mine = tests.filter(({ projectName }) => projectName === name);
  const count = (is: string) => mine.filter((test) => test.status === is).length;
  const said = missing.get(name) ?? `${count('expected')} passed, ${count('unexpected')} failed  ${versions.get(name)}`;
  console.log(`  ${name.padEnd(16)} ${missing.has(name) ? `not run: ${said}` : said}`);
}
process.exitCode = status ?? 1;
