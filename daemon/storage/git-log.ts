import { createHash } from 'node:crypto';
import { type GitEnvironment, gitOutput } from './git-command.js';

const COMMITS_MAX = 2_000;
const FILES_PER_COMMIT_MAX = 200;

export interface Commit {
  hash: string;
  /** Epoch milliseconds of the commit. */
  at: number;
  author: string;
  subject: string;
  /** Paths that it touched, relative to the project. */
  paths: string[];
}

/** What git remembers about the project folder. Every answer is empty when the folder is not in a repository. */
export class GitLog {
  private readonly blobs = new Map<string, string>();
  private blobsOf: string | undefined;

  constructor(
    private readonly root: string,
    private readonly environment: GitEnvironment,
  ) {}

  /** The commit that is checked out, or undefined. */
  head(): string | undefined {
    const hash = gitOutput(this.root, this.environment, ['rev-parse', '--verify', '--quiet', 'HEAD'])?.trim();
    return hash !== undefined && /^[0-9a-f]{40,64}$/.test(hash) ? hash : undefined;
  }

  /** The newest commits (at most 2,000) that touched the folder, newest first, without merges. */
  commits(): Commit[] {
    const format = '--format=%x01%H%x00%ct%x00%an%x00%s';
    const args = ['log', '-n', String(COMMITS_MAX), '--no-merges', '--no-renames', '--no-ext-diff', '--no-textconv', '--name-only'];
    const text = gitOutput(this.root, this.environment, [...args, '--relative', '-z', format, 'HEAD', '--', '.']);
    if (text === undefined) return [];
    return text.split('\u0001').flatMap((record) => {
      const [hash, seconds, author, subject, ...rest] = record.split('\0');
      if (hash === undefined || seconds === undefined || author === undefined || subject === undefined) return [];
      const paths = rest.map((path) => path.replace(/^\n+/, '')).filter((path) => path !== '');
      return [{ hash, at: Number(seconds) * 1000, author, subject: subject.trim(), paths: paths.slice(0, FILES_PER_COMMIT_MAX) }];
    });
  }

  /** Whether `bytes` is exactly what `head` holds at `path`. No filter of the repository is run: a converted file counts as changed. */
  isUnchanged(head: string, path: string, bytes: Uint8Array): boolean {
    if (this.blobsOf !== head) this.readTree(head);
    const blob = this.blobs.get(path);
    if (blob === undefined) return false;
    return isBlob(blob, bytes);
  }

  private readTree(head: string): void {
    this.blobs.clear();
    this.blobsOf = head;
    const text = gitOutput(this.root, this.environment, ['ls-tree', '-r', '-z', head]) ?? '';
    for (const entry of text.split('\0')) {
      const tab = entry.indexOf('\t');
      const [, type, blob] = entry.slice(0, tab).split(' ');
      if (type === 'blob' && blob !== undefined) this.blobs.set(entry.slice(tab + 1), blob);
    }
  }
}

/** Whether `bytes` is what git keeps under the name `blob`. */
export function isBlob(blob: string, bytes: Uint8Array): boolean {
  const algorithm = blob.length === 64 ? 'sha256' : 'sha1';
  return createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest('hex') === blob;
}
