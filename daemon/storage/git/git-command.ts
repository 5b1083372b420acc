import { devNull } from 'node:os';
import { programPath, projectAround } from '../../private/program-path.js';
import { awaitGit, type GitResult, startGit } from './start-git.js';

/**
 * Environment variables that are passed to git. No `GIT_*` variable is, because it could
 * redirect git or name a program.
 */
const PASSED = ['PATH', 'HOME', 'USERPROFILE', 'SystemRoot', 'TMPDIR', 'TEMP', 'XDG_CONFIG_HOME'];

/** Settings of a clone that name programs, turned off: reading a repository must not run any program of it. */
const INERT = [
  'core.fsmonitor=false',
  `core.hooksPath=${devNull}`,
  'core.untrackedCache=false',
  'core.sshCommand=false',
  'core.alternateRefsCommand=',
  'core.pager=cat',
  'credential.helper=',
  'diff.external=',
  'diff.submodule=short',
  'log.showSignature=false',
  'gpg.program=false',
  'protocol.allow=never',
  'color.ui=false',
].flatMap((setting) => ['-c', setting]);

const TIMEOUT_MS = 10_000;
/** For what reads a whole project, where nobody waits for git alone: a cold disk takes its time. */
export const WHOLE_PROJECT_MS = 120_000;
const OUTPUT_MAX_BYTES = 256 * 1024 * 1024;

export type GitEnvironment = Readonly<Record<string, string | undefined>>;

/** Returns the part of the daemon's environment that git may see. A thread that only runs git needs no more. */
export function gitEnvironment(environment: GitEnvironment): GitEnvironment {
  return Object.fromEntries(
    PASSED.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])),
  );
}

const commandLine = (args: readonly string[]) => ['--no-pager', ...INERT, ...args];

/**
 * The environment of every git command: no variable of the daemon's beyond `PASSED`, no program of the project that
 * `folder` is in, no prompt, no lazy download.
 */
function environmentFor(folder: string, environment: GitEnvironment): GitEnvironment {
  return {
    LC_ALL: 'C.UTF-8',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_LITERAL_PATHSPECS: '1',
    ...gitEnvironment(environment),
    PATH: programPath(environment['PATH'], projectAround(folder, environment['HOME'])),
  };
}

function options(folder: string, environment: GitEnvironment, timeoutMs = TIMEOUT_MS) {
  return {
    cwd: folder,
    env: environmentFor(folder, environment),
    encoding: 'utf8',
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: OUTPUT_MAX_BYTES,
    windowsHide: true,
  } as const;
}

/**
 * Runs a read-only git command in `folder` and returns its output, or undefined when it failed, is not installed, took
 * longer than `timeoutMs`, by default 10 s, or wrote more than 256 MiB. No shell is used, and no hook, pager, monitor,
 * signature program or transport of the repository's own configuration is started. Blocks until the command has ended:
 * for worker threads.
 */
export function gitOutput(
  folder: string,
  environment: GitEnvironment,
  args: readonly string[],
  timeoutMs?: number,
): string | undefined {
  return awaitGit(commandLine(args), options(folder, environment, timeoutMs));
}

/** Like `gitOutput`, without blocking. */
export async function runGit(
  folder: string,
  environment: GitEnvironment,
  args: readonly string[],
): Promise<string | undefined> {
  const { code, stdout } = await startGit(commandLine(args), options(folder, environment));
  return code === 0 ? stdout : undefined;
}

export interface GitRunOptions {
  /** Added to the environment, for example `GIT_INDEX_FILE`. */
  env?: Readonly<Record<string, string>>;
  /** Written to standard input. */
  input?: string;
  timeoutMs?: number;
}

/**
 * Runs a git command in `folder` with the same restrictions as `runGit` and returns how it ended. Never rejects. The
 * caller must pass `quietSettings` of the repository in `env` when the command reads or writes file contents.
 */
export function runGitFully(
  folder: string,
  environment: GitEnvironment,
  args: readonly string[],
  { env = {}, input, timeoutMs }: GitRunOptions = {},
): Promise<GitResult> {
  const base = options(folder, environment, timeoutMs);
  return startGit(commandLine(args), { ...base, env: { ...base.env, ...env } }, input);
}
