/**
 * Releases the version of package.json from main: checks the tree, the version and the changelog, builds, prints the
 * contents of the tarball, asks for confirmation, then publishes and tags. With `--dry-run` it performs everything
 * before the confirmation on any branch; the exit code is 1 when the release would be refused.
 *
 * `npm run release -- --dry-run`
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  channelOf,
  findChangelogSection,
  findProblems,
  formatContents,
  type PackedFile,
  readPacked,
  tagName,
} from './release/checks.js';

interface Packed {
  filename: string;
  /** Size of the tarball in bytes. `unpackedSize` is the size of its contents. */
  size: number;
  unpackedSize: number;
  files: PackedFile[];
}

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } });
const isDryRun = values['dry-run'];

const read = (file: string) => readFileSync(join(root, file), 'utf8');
const git = (...args: string[]) => execFileSync('git', ['-C', root, ...args], { encoding: 'utf8' }).trim();
const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;

/** Runs a program in the repository with its output shown. Exits with 1 when it fails. */
function run(program: string, ...args: string[]): void {
  const { status } = spawnSync(program, args, { cwd: root, stdio: 'inherit' });
  if (status === 0) return;
  console.error(`\`${[program, ...args].join(' ')}\` failed; nothing after it was done.`);
  process.exit(1);
}

function pack(): Packed {
  const text = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  return readPacked(text);
}

async function confirm(version: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const prompt = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await prompt.question(`Type ${version} to publish and tag it: `);
  prompt.close();
  return answer.trim() === version;
}

const { version, name } = JSON.parse(read('package.json')) as { version: string; name: string };
const changelog = read('CHANGELOG.md');
const tagsHere = git('tag', '--points-at', 'HEAD').split('\n');
const problems = findProblems({
  version,
  lockVersion: (JSON.parse(read('package-lock.json')) as { version: string }).version,
  changelog,
  status: git('status', '--porcelain'),
  branch: git('branch', '--show-current'),
  tags: git('tag', '--list').split('\n'),
  tagsHere,
});
for (const problem of problems) console.error(`- ${problem}`);
if (problems.length > 0 && !isDryRun) {
  console.error('Nothing was built, tagged or published.');
  process.exit(1);
}

run(process.execPath, 'scripts/build.mjs');
const { filename, size, unpackedSize, files } = pack();
console.log(`\n${filename}: ${kilobytes(size)}, unpacked ${kilobytes(unpackedSize)}, ${files.length} files`);
for (const row of formatContents(files)) console.log(row);
console.log(`\n${findChangelogSection(changelog, version) ?? 'No changelog.'}\n`);
console.log(`Tag      ${tagName(version)} at ${git('rev-parse', '--short', 'HEAD')}`);
console.log(`Publish  ${name}@${version} as ${channelOf(version)}`);
if (isDryRun) {
  console.log(
    problems.length > 0 ? '\nThe release would be refused, see above.' : '\nNothing was tagged or published.',
  );
  process.exitCode = problems.length > 0 ? 1 : 0;
} else if (await confirm(version)) {
  // A publication that fails, as for a wrong one-time password, can be tried again.
  run('npm', 'publish', '--tag', channelOf(version));
  if (!tagsHere.includes(tagName(version)))
    run('git', 'tag', '--annotate', tagName(version), '--message', `${name} ${version}`);
  console.log(`Published. \`git push origin main ${tagName(version)}\` pushes the tag.`);
} else {
  console.error('Not confirmed: nothing was tagged or published.');
  process.exitCode = 1;
}
