import { type GitEnvironment, gitOutput, WHOLE_PROJECT_MS } from './git-command.js';
import { COMMIT_FORMAT, type FileCommit, isBlob, parseBlobs, parseCommits } from './git-output.js';

const COMMITS_MAX = 2_000;
const FILES_PER_COMMIT_MAX = 200;

export interface Commit extends FileCommit {
  /** Paths that the commit touched, relative to the project. */
  paths: string[];
}

/** The git history of the project folder. */
export class GitLog {
  private blobs: ReadonlyMap<string, string> = new Map();
  private blobsOf: string | undefined;

  constructor(
    private readonly root: string,
    private readonly environment: GitEnvironment,
  ) {}

  /** Returns the hash of the checked-out commit, or undefined. */
  head(): string | undefined {
    const hash = gitOutput(this.root, this.environment, ['rev-parse', '--verify', '--quiet', 'HEAD'])?.trim();
    return hash !== undefined && /^[0-9a-f]{40,64}$/.test(hash) ? hash : undefined;
  }

  /**
   * Returns the newest commits (at most 2,000) that touched the folder, newest first, without merges. Undefined when
   * git cannot tell, or takes longer than two minutes.
   */
  commits(): Commit[] | undefined {
    const args = [
      'log',
      '-n',
      String(COMMITS_MAX),
      '--no-merges',
      '--no-renames',
      '--no-ext-diff',
      '--no-textconv',
      '--name-only',
    ];
    const whole = [...args, '--relative', '-z', COMMIT_FORMAT, 'HEAD', '--', '.'];
    const text = gitOutput(this.root, this.environment, whole, WHOLE_PROJECT_MS);
    if (text === undefined) return undefined;
    return parseCommits(text).map(({ commit, rest }) => {
      const paths = rest.map((path) => path.replace(/^\n+/, '')).filter((path) => path !== '');
      return { ...commit, paths: paths.slice(0, FILES_PER_COMMIT_MAX) };
    });
  }

  /**
   * Reports whether `bytes` equals the content of `path` in `head`. No filter of the repository is run: a
   * converted file counts as changed.
   */
  isUnchanged(head: string, path: string, bytes: Uint8Array): boolean {
    if (this.blobsOf !== head) this.readTree(head);
    const blob = this.blobs.get(path);
    if (blob === undefined) return false;
    return isBlob(blob, bytes);
  }

  private readTree(head: string): void {
    this.blobs = parseBlobs(gitOutput(this.root, this.environment, ['ls-tree', '-r', '-z', head]) ?? '');
    this.blobsOf = head;
  }
}
