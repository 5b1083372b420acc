import { MeshError } from '../../lib/errors.js';
import { type GitEnvironment, WHOLE_PROJECT_MS } from '../git/git-command.js';
import { GitRepository } from '../git/git-repository.js';
import { parseStatus, STATUS } from '../git/git-status.js';
import { findGitProblem } from '../git/git-version.js';
import { findUnderWay } from '../git/unfinished.js';

/** The git folders of the project. All paths are absolute. */
export interface GitFolders {
  /** The git folder of the project folder itself. */
  gitFolder: string;
  /** The git folder that all worktrees share. */
  commonFolder: string;
}

/** A repository in which a worktree can be made. */
interface BaseRepository extends GitFolders {
  /** The commit of the project folder. */
  head: string;
  /** The branch of the project folder; null while it has none checked out. */
  branch: string | null;
  /** Where the project folder is in its repository; empty at the top. */
  prefix: string;
  /** Changes of the project folder that are not committed. */
  uncommitted: number;
}

export type RepositoryStatus = { base: BaseRepository } | { problem: string };

async function whyNotOpened(root: string, environment: GitEnvironment): Promise<string> {
  const problem = await findGitProblem(root, environment);
  return problem === undefined ? 'The project is not in a git repository.' : `${problem}.`;
}

/**
 * Returns the git folders of the project at `root`, whatever is under way there. Throws `internal` when the project is
 * in no repository.
 */
export async function findGitFolders(root: string, environment: GitEnvironment): Promise<GitFolders> {
  const repository = await GitRepository.open(root, environment);
  if (!repository) throw new MeshError('internal', await whyNotOpened(root, environment));
  const { gitFolder, commonFolder } = await repository.findPlace();
  return { gitFolder, commonFolder };
}

/**
 * Returns whether a worktree can be made of the project at `root`: it is in a git repository with a commit that holds
 * the folder, and no merge, rebase or similar operation is under way. Uncommitted changes do not matter.
 */
export async function readRepositoryStatus(root: string, environment: GitEnvironment): Promise<RepositoryStatus> {
  const repository = await GitRepository.open(root, environment);
  if (!repository) return { problem: await whyNotOpened(root, environment) };
  const { gitFolder, commonFolder, prefix } = await repository.findPlace();
  const status = await repository.run(STATUS, { timeoutMs: WHOLE_PROJECT_MS });
  if (status.code !== 0) return { problem: 'Git could not read the repository of the project.' };
  const { commit: head, branch, changes: all } = parseStatus(status.stdout);
  if (head === null) return { problem: 'The project’s repository has no commit yet.' };
  const folder = prefix.replace(/\/$/, '');
  // What the daemon keeps in the project is no work of the user.
  const changes = all.filter(({ path }) => !path.startsWith(`${prefix}.mesh/`));
  const operation = await findUnderWay(gitFolder);
  if (operation !== undefined) return { problem: `A ${operation} is under way in the project folder.` };
  if (changes.some(({ isUnmerged }) => isUnmerged))
    return { problem: 'The project folder has files with unsolved conflicts.' };
  if (folder !== '' && (await repository.run(['cat-file', '-e', `${head}:${folder}`])).code !== 0)
    return { problem: 'Nothing of the project folder is committed yet.' };
  return {
    base: { head, branch, gitFolder, commonFolder, prefix: folder, uncommitted: changes.length },
  };
}
