/**
 * Installs meshd as a new user does (the packed tarball, into an empty prefix) and uses it on two unrelated
 * repositories. It must start with its nine members, answer with at least one checked citation, and stop. Removes
 * everything that it created.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const STRANGERS = [
  { spec: 'express@5.1.0', question: 'How is a router mounted on the application?' },
  { spec: 'chokidar@5.0.0', question: 'What does the awaitWriteFinish option do?' },
];
const MEMBERS = 9;
const STEP_MS = 600_000;

const repository = fileURLToPath(new URL('..', import.meta.url));
const temporary = mkdtempSync(join(tmpdir(), 'meshd-drill-'));

function run(command, args, cwd) {
  return execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    timeout: STEP_MS,
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();
}

function check(isTrue, sentence) {
  if (!isTrue) throw new Error(sentence);
}

/** Packs this repository and installs the tarball into an empty prefix. Returns the path of the installed command. */
function install() {
  const tarball = run('npm', ['pack', '--silent', '--pack-destination', temporary], repository).split('\n').at(-1);
  const prefix = join(temporary, 'prefix');
  run(
    'npm',
    ['install', '--global', '--silent', '--no-audit', '--no-fund', '--prefix', prefix, join(temporary, tarball)],
    temporary,
  );
  return join(prefix, 'bin', 'meshd');
}

/** Creates a repository with one commit from a package's published sources. */
function strangeRepository(spec) {
  const folder = join(temporary, spec.replace('@', '-'));
  mkdirSync(folder);
  run('npm', ['pack', '--silent', spec], folder);
  const tarball = readdirSync(folder).find((file) => file.endsWith('.tgz'));
  run('tar', ['-xzf', tarball, '--strip-components=1'], folder);
  rmSync(join(folder, tarball));
  const git = (...args) =>
    run('git', ['-c', 'user.name=Drill', '-c', 'user.email=drill@example.invalid', ...args], folder);
  git('init', '-q');
  git('add', '-A');
  git('commit', '-q', '-m', `${spec} as published`);
  return folder;
}

function drill(meshd, { spec, question }) {
  const root = strangeRepository(spec);
  const started = performance.now();
  try {
    const address = run(meshd, ['up', '--port', '0'], root).split('\n').at(-1);
    check(/^http:\/\/127\.0\.0\.1:\d+$/.test(address), `The last line of \`meshd up\` is no address: ${address}`);
    const { members } = JSON.parse(run(meshd, ['team', 'ls', '--json'], root));
    check(members.length === MEMBERS, `${members.length} members instead of ${MEMBERS}.`);
    const answer = JSON.parse(run(meshd, ['ask', 'consultant', question, '--json', '--wait', '120'], root));
    const checked = (answer.citations ?? []).filter(({ status }) => status === 'checked');
    check(answer.status === 'done', `The answer ended as ${answer.status}.`);
    check(checked.length > 0, 'The answer has no checked citation.');
    check(
      checked.every(({ path }) => existsSync(join(root, path))),
      'A citation names a file that is not there.',
    );
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(
      `${spec}: ${members.length} members, ${checked.length} checked citations (${basename(checked[0].path)}:${checked[0].start_line}), ${seconds} s`,
    );
  } finally {
    spawnSync(meshd, ['down'], { cwd: root, timeout: STEP_MS, stdio: 'ignore' });
  }
  const { status } = spawnSync(meshd, ['status'], { cwd: root, timeout: STEP_MS, stdio: 'ignore' });
  check(status === 3, 'The daemon is still there after `meshd down`.');
}

try {
  const meshd = install();
  console.log(`Installed ${run(meshd, ['--version'], temporary)} from its tarball.`);
  for (const stranger of STRANGERS) drill(meshd, stranger);
  console.log('Both repositories answered.');
} catch (error) {
  console.error(`FAILED: ${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
