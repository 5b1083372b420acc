import { createHash } from 'node:crypto';

export interface FileCommit {
  hash: string;
  /** Epoch milliseconds of the commit. */
  at: number;
  author: string;
  subject: string;
}

/** The format that `parseCommits` parses: each commit begins with a character that none of its fields contains. */
export const COMMIT_FORMAT = '--format=%x01%H%x00%ct%x00%an%x00%s';

/** Parses the commits that `git log` prints in that format, each with the output between it and the next. */
export function parseCommits(text: string): { commit: FileCommit; rest: string[] }[] {
  return text.split('\u0001').flatMap((record) => {
    const [hash, seconds, author, subject, ...rest] = record.split('\0');
    if (hash === undefined || seconds === undefined || author === undefined || subject === undefined) return [];
    return [{ commit: { hash, at: Number(seconds) * 1000, author, subject: subject.trim() }, rest }];
  });
}

/** Parses the output of `git ls-tree -r -z`: path to blob id. */
export function parseBlobs(text: string): Map<string, string> {
  return new Map(
    text.split('\0').flatMap((entry) => {
      const tab = entry.indexOf('\t');
      const [, type, blob] = entry.slice(0, tab).split(' ');
      return type === 'blob' && blob !== undefined ? [[entry.slice(tab + 1), blob] as const] : [];
    }),
  );
}

/** Reports whether `bytes` has the git blob id `blob`. */
export function isBlob(blob: string, bytes: Uint8Array): boolean {
  const algorithm = blob.length === 64 ? 'sha256' : 'sha1';
  return createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest('hex') === blob;
}
