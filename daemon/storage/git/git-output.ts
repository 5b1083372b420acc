import { createHash } from 'node:crypto';

export interface FileCommit {
  hash: string;
  /** Epoch milliseconds of the commit. */
  at: number;
  author: string;
  subject: string;
}

/**
 * Parses the paths that `git worktree list --porcelain` prints, also those of folders that are gone. Git before 2.36
 * knows no `-z` there; without it git quotes no path, only what somebody gives as a reason.
 */
export const parseWorktreePaths = (text: string): string[] =>
  text.split('\n').flatMap((line) => (line.startsWith('worktree ') ? [line.slice(9)] : []));

/** The format that `parseCommits` parses: each commit begins with a character that none of its fields contains. */
export const COMMIT_FORMAT = '--format=%x01%H%x00%ct%x00%an%x00%s';
/** The number of fields in that format. */
const FIELDS = 4;

/** Parses the commits that `git log` prints in that format, each with the output between it and the next. */
export function parseCommits(text: string): { commit: FileCommit; rest: string[] }[] {
  return text.split('\u0001').flatMap((record) => {
    const fields = record.split('\0');
    if (fields.length < FIELDS) return [];
    const [hash, seconds, author, subject, ...rest] = fields as [string, string, string, string, ...string[]];
    return [{ commit: { hash, at: Number(seconds) * 1000, author, subject: subject.trim() }, rest }];
  });
}

/** Parses the output of `git ls-tree -r -z`: path to blob id. */
export function parseBlobs(text: string): Map<string, string> {
  return new Map(
    text.split('\0').flatMap((entry) => {
      const tab = entry.indexOf('\t');
      const [, type, blob] = entry.slice(0, tab).split(' ') as [string, string, string];
      return type === 'blob' ? [[entry.slice(tab + 1), blob] as const] : [];
    }),
  );
}

/** Splits the output of a command with `-z`. */
export const zeroSeparated = (output: string): string[] => output.split('\0').filter((part) => part !== '');

/** A file that differs, before and after. The mode is `000000` where it does not exist. */
interface RawEntry {
  path: string;
  oldMode: string;
  oldId: string;
  mode: string;
  id: string;
}

/**
 * Parses the output of `--raw -z --no-renames`: each entry is ":<old mode> <new mode> <old id> <new id> <status>", a
 * zero byte, the path and a zero byte.
 */
export function parseRawEntries(output: string): RawEntry[] {
  const parts = zeroSeparated(output);
  const entries: RawEntry[] = [];
  for (let at = 0; at < parts.length; at += 2) {
    const [facts, path] = parts.slice(at, at + 2) as [string, string];
    const [oldMode, mode, oldId, id] = facts.slice(1).split(' ') as [string, string, string, string];
    entries.push({ path, oldMode, oldId, mode, id });
  }
  return entries;
}

/** Reports whether `bytes` has the git blob id `blob`. */
export function isBlob(blob: string, bytes: Uint8Array): boolean {
  const algorithm = blob.length === 64 ? 'sha256' : 'sha1';
  return createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest('hex') === blob;
}
