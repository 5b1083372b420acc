import type { GitEnvironment } from './git-command.js';
import type { FileCommit } from './git-output.js';
import { GitRepository } from './git-repository.js';
import { readShallowCommits } from './shallow-commits.js';

/** Lines of the working tree, counted from 1 and inclusive, with the commit that last changed them. */
interface BlamedLines {
  start: number;
  end: number;
  /** A hash of `commits`. Null for lines that differ from HEAD, and for unknown ones. */
  commit: string | null;
  /** Whether the commit is not known, because the clone is shallow and ends before it. */
  isUnknown?: true;
}

/** `not_in_head`: no commit contains the file. `unavailable`: git failed or took longer than 10 s. */
export type Blame =
  | { state: 'blamed'; commits: FileCommit[]; lines: BlamedLines[] }
  | { state: 'no_repository' | 'not_in_head' | 'unavailable' };

/** A hunk of `git diff -U0`. Git gives an empty side the line before it. */
interface Hunk {
  oldCount: number;
  start: number;
  count: number;
}

/**
 * Returns who last changed the lines `from` to `to` of the file in HEAD, joined to runs of one commit. `path` is relative
 * to `root` and taken literally. Runs no program that the repository names. The repository's `blame.ignoreRevsFile` counts.
 */
export async function blameFile(
  root: string,
  environment: GitEnvironment,
  { path, from, to }: { path: string; from: number; to: number },
): Promise<Blame> {
  const repository = await GitRepository.open(root, environment);
  if (repository === undefined) return { state: 'no_repository' };
  const held = await repository.run(['cat-file', '-e', `HEAD:./${path}`]);
  if (held.code !== 0) return { state: held.code === null ? 'unavailable' : 'not_in_head' };
  const diff = await repository.run(['diff', '--no-color', '--no-renames', '-U0', 'HEAD', '--', path]);
  if (diff.code !== 0) return { state: 'unavailable' };
  const headLines = mapToHead(hunksIn(diff.stdout), from, to);
  const inHead = headLines.filter((line) => line !== null);
  const blamed = { commits: new Map<string, FileCommit>(), byLine: new Map<number, string>() };
  if (inHead.length > 0) {
    const range = ['-L', `${inHead[0]},${inHead.at(-1)}`, 'HEAD', '--', path];
    const { code, stdout } = await repository.run(['blame', '--no-textconv', '--porcelain', ...range]);
    if (code !== 0) return { state: 'unavailable' };
    readPorcelain(stdout, blamed);
  }
  const shallow: ReadonlySet<string | null> = readShallowCommits((await repository.findPlace()).commonFolder);
  const lines = joinLines(
    headLines.map((line) => (line === null ? null : (blamed.byLine.get(line) ?? null))),
    from,
  ).map((run) => (shallow.has(run.commit) ? { ...run, commit: null, isUnknown: true as const } : run));
  return { state: 'blamed', commits: [...blamed.commits.values()].filter(({ hash }) => !shallow.has(hash)), lines };
}

function hunksIn(diff: string): Hunk[] {
  return [...diff.matchAll(/^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/gm)].map(([, oldCount, start, count]) => ({
    oldCount: Number(oldCount ?? 1),
    start: Number(start),
    count: Number(count ?? 1),
  }));
}

/** Returns for each line of the working tree its line in HEAD; null where it differs. */
function mapToHead(hunks: readonly Hunk[], from: number, to: number): (number | null)[] {
  const lines: (number | null)[] = [];
  let at = 0;
  let shift = 0;
  for (let line = from; line <= to; line++) {
    for (let hunk = hunks[at]; hunk && line > getEnd(hunk); hunk = hunks[++at]) shift += hunk.oldCount - hunk.count;
    const hunk = hunks[at];
    lines.push(hunk && hunk.count > 0 && line >= hunk.start ? null : line + shift);
  }
  return lines;
}

const getEnd = ({ start, count }: Hunk) => (count > 0 ? start + count - 1 : start);

/** Reads `git blame --porcelain`: each line has a head, at a commit's first line its fields, and its text after a tab. */
function readPorcelain(
  text: string,
  { commits, byLine }: { commits: Map<string, FileCommit>; byLine: Map<number, string> },
): void {
  let commit: FileCommit | undefined;
  for (const row of text.split('\n').slice(0, -1)) {
    if (row.startsWith('\t')) {
      commit = undefined;
    } else if (commit === undefined) {
      // The hash, the line in that commit, and the line in HEAD.
      const [hash, , line] = row.split(' ') as [string, string, string];
      commit = commits.get(hash) ?? { hash, at: 0, author: '', subject: '' };
      commits.set(hash, commit);
      byLine.set(Number(line), hash);
    } else if (row.startsWith('author ')) commit.author = row.slice('author '.length);
    else if (row.startsWith('committer-time ')) commit.at = Number(row.slice('committer-time '.length)) * 1000;
    else if (row.startsWith('summary ')) commit.subject = row.slice('summary '.length);
  }
}

function joinLines(commits: readonly (string | null)[], from: number): BlamedLines[] {
  const runs: BlamedLines[] = [];
  for (const [at, commit] of commits.entries()) {
    const last = runs.at(-1);
    if (last?.commit === commit) last.end = from + at;
    else runs.push({ start: from + at, end: from + at, commit });
  }
  return runs;
}
