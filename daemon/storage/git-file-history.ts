import { type GitEnvironment, runGit } from './git-command.js';

const TEXT_MAX_CHARS = 1024 * 1024;

export interface FileCommit {
  hash: string;
  /** Epoch milliseconds of the commit. */
  at: number;
  author: string;
  subject: string;
}

/** What git remembers of single files of the project. Paths are relative to it, taken as they are, and no filter of the repository is run. */
export class GitFileHistory {
  constructor(
    private readonly root: string,
    private readonly environment: GitEnvironment,
  ) {}

  /** Whether the project is in a repository that git can read. */
  async isThere(): Promise<boolean> {
    return (await this.git('rev-parse', '--is-inside-work-tree'))?.trim() === 'true';
  }

  /** The newest commits that changed the file, newest first; none where there is no repository or no commit. */
  async commits(path: string, limit: number): Promise<FileCommit[]> {
    const format = '--format=%H%x00%ct%x00%an%x00%s%x01';
    const text = await this.git('log', '-n', String(limit), '--no-ext-diff', '--no-textconv', format, 'HEAD', '--', path);
    return (text ?? '').split('\u0001').flatMap((record) => {
      const [hash, seconds, author, subject] = record.trimStart().split('\0');
      if (hash === undefined || seconds === undefined || author === undefined || subject === undefined) return [];
      return [{ hash, at: Number(seconds) * 1000, author, subject: subject.trim() }];
    });
  }

  /** The file's text in a commit; null when it is not in it, is longer than 1 MiB, or there is no such commit. */
  async textAt(commit: string, path: string): Promise<string | null> {
    const text = await this.git('show', '--no-ext-diff', '--no-textconv', `${commit}:./${path}`);
    return text === undefined || text.length > TEXT_MAX_CHARS ? null : text;
  }

  /** What HEAD holds under the folder: path to the name of its content. Empty where there is no commit. */
  async blobs(folder: string): Promise<ReadonlyMap<string, string>> {
    const text = await this.git('ls-tree', '-r', '-z', 'HEAD', '--', `${folder}/`);
    return new Map(
      (text ?? '').split('\0').flatMap((entry) => {
        const tab = entry.indexOf('\t');
        const [, type, blob] = entry.slice(0, tab).split(' ');
        return type === 'blob' && blob !== undefined ? [[entry.slice(tab + 1), blob] as const] : [];
      }),
    );
  }

  private git(...args: string[]): Promise<string | undefined> {
    return runGit(this.root, this.environment, args);
  }
}
