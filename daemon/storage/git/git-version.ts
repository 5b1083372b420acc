import { type GitEnvironment, runGit } from './git-command.js';

/** The oldest git that tells where a repository is as the daemon asks (`rev-parse --path-format`). */
const OLDEST_GIT = '2.31';

/** Whether a text with a version of git names `oldest`, as `2.31`, or a newer one. */
export function isGitAtLeast(text: string, oldest: string): boolean {
  const numbers = (of: string) => {
    const found = /(\d+)\.(\d+)/.exec(of);
    return [Number(found?.[1]), Number(found?.[2])] as const;
  };
  const [[major, minor], [needed, neededMinor]] = [numbers(text), numbers(oldest)];
  return major > needed || (major === needed && minor >= neededMinor);
}

/** Returns why the git of the daemon cannot be used, without a full stop; undefined when it can. */
export async function findGitProblem(folder: string, environment: GitEnvironment): Promise<string | undefined> {
  const shown = await runGit(folder, environment, ['--version']);
  if (shown === undefined) return 'git is not installed, or not in the PATH of the daemon';
  if (isGitAtLeast(shown, OLDEST_GIT)) return undefined;
  const found = shown.replace('git version', '').trim();
  return `git ${OLDEST_GIT} or newer is not installed (the daemon finds ${found})`;
}
