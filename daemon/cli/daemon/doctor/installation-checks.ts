import { spawnSync } from 'node:child_process';
import { systemCode } from '../../../lib/errors.js';
import { isNodeFrom, OLDEST_NODE } from '../../../lib/oldest-node.js';
import { programPath, projectAround } from '../../../private/program-path.js';
import { foldsNames, listTracked, trackedSecrets, UNTRACK_COMMAND } from '../../../private/tracked-path.js';
import type { CommandError } from '../../exit-codes.js';
import { findDaemonProgram } from '../installation.js';
import { about, type Finding } from './check.js';

/** From here on better-sqlite3 13 serves, which comes compiled. */
const COMPILED_FROM = [22, 14] as const;
/** The oldest major version that still gets security fixes. */
const OLDEST_MAINTAINED = 22;
const RECOMMENDED = 24;

/** Checks the version of Node.js and reports what that version cannot do. */
export function checkNode(version: string): Finding {
  const { ok, warn, fail } = about('node', 'Node.js');
  if (!isNodeFrom(version, OLDEST_NODE))
    return fail(`${version} is too old`, `install Node.js ${OLDEST_NODE.join('.')} or newer`);
  const lacks = [
    ...(isNodeFrom(version, [OLDEST_MAINTAINED, 0]) ? [] : ['gets no security fixes any more']),
    ...(isNodeFrom(version, COMPILED_FROM) ? [] : ['needs a compiler to install, for better-sqlite3']),
  ];
  if (lacks.length === 0) return ok(version);
  return warn(`${version} ${lacks.join(' and ')}`, `install Node.js ${RECOMMENDED}`);
}

export function checkProgram(entry: string): Finding {
  const { ok, fail } = about('program', 'Daemon program');
  try {
    return ok(findDaemonProgram(entry));
  } catch (error) {
    return fail('not built', (error as CommandError).message);
  }
}

const INSTALL_GIT = 'install git (apt-get install git, brew install git)';

type Variables = Readonly<Record<string, string | undefined>>;

interface GitAnswer {
  out: string;
  /** Why git does not read the repository, and what mends it; undefined when it does, and where there is none. */
  refusal: { why: string; fix: string } | undefined;
}

/** Runs git in `root`. Returns undefined when git cannot be started. */
function git(root: string, variables: Variables, ...args: string[]): GitAnswer | undefined {
  const { PATH, HOME } = variables;
  const env = { PATH: programPath(PATH, projectAround(root, HOME)), HOME, GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' };
  const { error, status, stdout, stderr } = spawnSync('git', ['-C', root, '-c', 'core.fsmonitor=false', ...args], {
    env,
    encoding: 'utf8',
    timeout: 10_000,
  });
  if (error && systemCode(error) !== 'ETIMEDOUT') return undefined;
  if (status === 0 || /not a git repository \(or any/.test(stderr)) return { out: stdout, refusal: undefined };
  const why = error ? 'no answer in 10 s' : (stderr.trim().split('\n')[0] ?? '');
  // Git itself names the command for a repository of another user.
  const fix = /git config --global --add safe\.directory .+/.exec(stderr)?.[0] ?? 'git status';
  return { out: '', refusal: { why, fix } };
}

export function checkGit(root: string, variables: Variables): Finding {
  const { ok, warn } = about('git', 'Git repository');
  const inside = git(root, variables, 'rev-parse', '--is-inside-work-tree');
  const without = 'every text file counts as the project, and citations carry no commit';
  if (!inside) return warn(`git is not installed: ${without}`, INSTALL_GIT);
  if (inside.refusal)
    return warn(
      `git does not read it (${inside.refusal.why}): nothing of it is read for other programs`,
      inside.refusal.fix,
    );
  return inside.out.trim() === 'true' ? ok('yes') : warn(`no: ${without}`, 'git init');
}

export function checkTracked(root: string, variables: Variables): Finding {
  const { ok, warn, fail } = about('secrets', 'Secrets out of git');
  const listed = git(root, variables, ...listTracked(foldsNames(root)));
  if (!listed) return warn('nobody can tell without git', INSTALL_GIT);
  if (listed.refusal) return warn(`git does not tell (${listed.refusal.why})`, listed.refusal.fix);
  const tracked = trackedSecrets(listed.out);
  if (tracked.length === 0) return ok('nothing under .mesh/credentials or .mesh/state is tracked');
  return fail(
    `${tracked.length} tracked: ${tracked.slice(0, 5).join(', ')}; whoever has the repository has them, and no ` +
      'new secret is written',
    UNTRACK_COMMAND,
  );
}
