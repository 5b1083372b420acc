import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { runBeside } from './processes/run-beside.js';

/**
 * Creates a folder with `files` (path to text) that is removed when the test ends. A project in it has a name from
 * which ids of agents begin unchanged: `meshd-` is reserved.
 */
export function temporaryFolder(files: Record<string, string> = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'meshd_test-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  putFiles(folder, files);
  return folder;
}

export function putFiles(folder: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

const IDENTITY = {
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@example.invalid',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@example.invalid',
};

/**
 * Runs a program in `folder` with a fixed identity for git and without the machine's git configuration. Returns its
 * output, and throws when it fails.
 */
function run(folder: string, program: string, args: readonly string[]): string {
  const { status, stdout, stderr } = runBeside(program, args, {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1', ...IDENTITY },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (status !== 0) throw new Error(`Command failed: ${[program, ...args].join(' ')}\n${stderr}`);
  return stdout;
}

/** Runs git in `folder` with a fixed identity and without the machine's git configuration. */
export function git(folder: string, ...args: string[]): string {
  return run(folder, 'git', args);
}

/** Returns a PATH on which `git` is the lines of shell `script`, in which `real` runs the machine's git. */
export function pathWithGit(script: string): string {
  const path = process.env['PATH'] ?? '';
  const folder = temporaryFolder();
  const real = 'real() { PATH=$machine exec git "$@"; }';
  const text = `#!/bin/sh\nmachine='${path}'\n${real}\n${script}\n`;
  writeFileSync(join(folder, 'git'), text, { mode: 0o755 });
  return `${folder}:${path}`;
}

/**
 * The files that `git init` creates, written without starting git. The configuration disables fsync and automatic
 * maintenance, which would slow down commits.
 */
const EMPTY_REPOSITORY = {
  '.git/HEAD': 'ref: refs/heads/main\n',
  '.git/config':
    '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = ' +
    'true\n\tfsync = none\n[maintenance]\n\tauto = false\n',
};

/**
 * Repositories of this process by their files. Hundreds of tests start with the same one, and a copy does not start
 * git.
 */
const templates = new Map<string, string>();

/** Returns a folder with the `.git` of a repository in which `files` are committed. */
function templateRepository(files: Record<string, string>): string {
  const key = JSON.stringify(files);
  const made = templates.get(key);
  if (made !== undefined && existsSync(made)) return made;
  const folder = mkdtempSync(join(tmpdir(), 'meshd-template-'));
  putFiles(folder, { ...files, ...EMPTY_REPOSITORY });
  for (const path of ['.git/hooks', '.git/objects', '.git/refs/heads'])
    mkdirSync(join(folder, path), { recursive: true });
  run(folder, 'sh', ['-c', 'git add -A && git commit -q -m first']);
  templates.set(key, folder);
  return folder;
}

/** Creates a temporary folder that is a git repository with `files` committed. */
export function temporaryRepository(files: Record<string, string>): string {
  const folder = temporaryFolder(files);
  cpSync(join(templateRepository(files), '.git'), join(folder, '.git'), { recursive: true });
  return folder;
}
