import { resolve } from 'node:path';
import { sha256Hex } from '../../lib/crypto/digests.js';
import { type GitEnvironment, gitOutput, WHOLE_PROJECT_MS } from './git-command.js';
import { COMMIT_FORMAT, type FileCommit, isBlob, parseBlobs, parseCommits } from './git-output.js';
import { readShallowCommits } from './shallow-commits.js';

const COMMITS_MAX = 2_000;
/** A commit with more paths keeps them all while those of all such commits are not too many. */
const USUAL_PATHS_MAX = 200;
const MANY_PATHS_MAX = 50_000;

export interface Commit extends FileCommit {
  /** Paths that the commit touched, relative to the project. */
  paths: string[];
  /** Whether it may have touched more files than `paths`. */
  isCut?: boolean;
}

/** The git history of the project folder. */
export class GitLog {
  private blobs: ReadonlyMap<string, string> = new Map();
  private blobsOf: string | undefined;
  private commonFolder: string | undefined;

  constructor(
    private readonly root: string,
    private readonly environment: GitEnvironment,
    private readonly manyPathsMax = MANY_PATHS_MAX,
  ) {}

  /** Returns the hash of the checked-out commit, or undefined. */
  head(): string | undefined {
    return gitOutput(this.root, this.environment, ['rev-parse', '--verify', '--quiet', 'HEAD'])?.trim();
  }

  /** Returns a text that changes when `commits` may return others than at `head` before. */
  markOf(head: string): string {
    const shallow = this.readShallow();
    return shallow.size === 0 ? head : `${head} ${sha256Hex([...shallow].join('\n'))}`;
  }

  private readShallow(): ReadonlySet<string> {
    if (this.commonFolder === undefined) {
      const folder = gitOutput(this.root, this.environment, ['rev-parse', '--git-common-dir'])?.replace(/\n$/, '');
      if (!folder) return new Set();
      this.commonFolder = resolve(this.root, folder);
    }
    return readShallowCommits(this.commonFolder);
  }

  /**
   * Returns the newest commits (at most 2,000) that touched the folder, newest first, without merges. Undefined when
   * git cannot tell, or takes longer than two minutes. What the last commit of a shallow clone touched is not known.
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
    const shallow = this.readShallow();
    let left = this.manyPathsMax;
    return parseCommits(text).map(({ commit, rest }) => {
      if (shallow.has(commit.hash)) return { ...commit, paths: [], isCut: true };
      // A line end stands before the first path. Further ones are of its name.
      const paths = rest.map((path, at) => (at === 0 ? path.replace(/^\n/, '') : path)).filter((path) => path !== '');
      if (paths.length <= USUAL_PATHS_MAX) return { ...commit, paths };
      if (paths.length > left) return { ...commit, paths: paths.slice(0, USUAL_PATHS_MAX), isCut: true };
      left -= paths.length;
      return { ...commit, paths };
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
    const text = gitOutput(this.root, this.environment, ['ls-tree', '-r', '-z', head]);
    this.blobs = text === undefined ? new Map() : parseBlobs(text);
    this.blobsOf = head;
  }
}
