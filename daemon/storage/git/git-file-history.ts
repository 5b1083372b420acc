import { type GitEnvironment, runGit } from './git-command.js';
import { COMMIT_FORMAT, type FileCommit, parseBlobs, parseCommits } from './git-output.js';

const TEXT_MAX_CHARS = 1024 * 1024;

/**
 * The git history of single files of the project. Paths are relative to the project and taken literally. No
 * filter of the repository is run.
 */
export class GitFileHistory {
  constructor(
    private readonly root: string,
    private readonly environment: GitEnvironment,
  ) {}

  /** Reports whether the project is in a repository that git can read. */
  async isThere(): Promise<boolean> {
    return (await this.git('rev-parse', '--is-inside-work-tree'))?.trim() === 'true';
  }

  /** Returns the newest commits that changed the file, newest first; none where there is no repository or no commit. */
  async commits(path: string, limit: number): Promise<FileCommit[]> {
    const text = await this.git(
      'log',
      '-n',
      String(limit),
      '--no-ext-diff',
      '--no-textconv',
      COMMIT_FORMAT,
      'HEAD',
      '--',
      path,
    );
    return text === undefined ? [] : parseCommits(text).map(({ commit }) => commit);
  }

  /**
   * Returns the file's text in a commit; null when the commit does not contain it, it is longer than 1
   * MiB, or there is no such commit.
   */
  async textAt(commit: string, path: string): Promise<string | null> {
    const text = await this.git('show', '--no-ext-diff', '--no-textconv', `${commit}:./${path}`);
    return text === undefined || text.length > TEXT_MAX_CHARS ? null : text;
  }

  /** Returns the content of HEAD below the folder: path to blob id. Empty where there is no commit. */
  async blobs(folder: string): Promise<ReadonlyMap<string, string>> {
    const text = await this.git('ls-tree', '-r', '-z', 'HEAD', '--', `${folder}/`);
    return text === undefined ? new Map() : parseBlobs(text);
  }

  private git(...args: string[]): Promise<string | undefined> {
    return runGit(this.root, this.environment, args);
  }
}
