import { constants, type Stats } from 'node:fs';
import { access, copyFile, lstat, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isSecretPath } from '../../lib/secrets/secret-names.js';
import { parseRawEntries, zeroSeparated } from './git-output.js';
import type { GitRepository } from './git-repository.js';

/** Larger files are not kept, in bytes. */
const FILE_MAX_BYTES = 50 * 1024 * 1024;
const TIMEOUT_MS = 120_000;
/** Objects and references are on the disk before a command ends. */
export const DURABLE: readonly string[] = ['-c', 'core.fsync=committed', '-c', 'core.fsyncMethod=batch'];

interface SnapshotOptions {
  /**
   * The temporary index. Created from the repository's own one when it is absent; one that is kept makes the next
   * snapshot quick.
   */
  index: string;
  /** Which changed files are not taken into the tree, by path from the repository's folder. */
  leaveOut: (path: string) => boolean;
  /** The tree of the last snapshot with this index. Given only while something keeps it from git's cleaning. */
  last?: string | undefined;
}

interface IndexOptions {
  env: Record<string, string>;
  timeoutMs: number;
}

/** Whether the daemon may read the file at `path`. */
export const canRead = (path: string): Promise<boolean> =>
  access(path, constants.R_OK).then(
    () => true,
    () => false,
  );

/** Whether a file must never get into a commit of meshd: its name is a secret's, as those of meshd's own state are. */
export const isNeverCommitted = (path: string): boolean => isSecretPath(path);

/**
 * Writes the files of the repository's folder as a tree, with those that git does not track and without those that it
 * ignores. A changed file that is left out is in the tree as it is in the last commit; so are files over 50 MiB, files
 * that `isReadable` refuses, repositories inside this one and files whose filter is not run, which `unfiltered` lists
 * too. Neither HEAD nor the repository's own index changes. Throws `internal`.
 */
export async function snapshotTree(
  repository: GitRepository,
  { index, leaveOut, last }: SnapshotOptions,
  isReadable = canRead,
): Promise<{ tree: string; leftOut: string[]; unfiltered: string[] }> {
  const options = { env: { GIT_INDEX_FILE: index }, timeoutMs: TIMEOUT_MS };
  const isUsed = await exists(index);
  if (!isUsed) await seed(repository, index);
  const [changed, untracked, staged] = await Promise.all([
    repository.output(
      ['diff-files', '-z', '--name-only', '--relative', '--no-renames', '--ignore-submodules=dirty'],
      options,
    ),
    repository.output(['ls-files', '-z', '-o', '--exclude-standard'], options),
    readStaged(repository, options),
  ]);
  const kept: string[] = [];
  const leftOut: string[] = [];
  const unfiltered: string[] = [];
  const paths = [...new Set(zeroSeparated(changed + untracked))];
  const filtered = new Set(await repository.findUnfiltered(paths, options));
  for (const path of paths) {
    const place = join(repository.folder, path);
    if (leaveOut(path) || path.endsWith('/')) leftOut.push(path);
    else if (filtered.has(path) && (await findFile(place))) unfiltered.push(path);
    else if (await isNotKept(place, isReadable)) leftOut.push(path);
    else kept.push(path);
  }
  leftOut.push(...unfiltered);
  leftOut.sort();
  const isRestored = await restoreLeftOut(repository, staged, leaveOut, options);
  if (isUsed && last !== undefined && !isRestored && kept.length === 0) return { tree: last, leftOut, unfiltered };
  const { gone, there } = await sortByPresence(repository.folder, kept);
  await updateIndex(repository, ['--force-remove'], gone, options);
  await updateIndex(repository, ['--add', '--remove', '--replace'], there, options);
  const tree = (await repository.output([...DURABLE, 'write-tree'], options)).trim();
  return { tree, leftOut, unfiltered };
}

/**
 * Copies the repository's own index. Its time must not become later: git takes a file that was changed in the moment
 * of the last write for an unchanged one otherwise.
 */
export async function copyIndex(repository: GitRepository, index: string): Promise<boolean> {
  const { index: own } = await repository.findPlace();
  const facts = await stat(own).catch(() => undefined);
  if (!facts) return false;
  await copyFile(own, index);
  const seconds = Math.floor(facts.mtimeMs / 1000);
  await utimes(index, seconds, seconds);
  return true;
}

async function seed(repository: GitRepository, index: string): Promise<void> {
  const options = { env: { GIT_INDEX_FILE: index }, timeoutMs: TIMEOUT_MS };
  if (!(await copyIndex(repository, index))) await repository.run(['read-tree', 'HEAD'], options);
  // Facts of files that the index lacks, for example after the folder was copied, would be computed at each snapshot.
  await repository.run(['update-index', '-q', '--refresh'], options);
}

async function updateIndex(
  repository: GitRepository,
  how: readonly string[],
  paths: readonly string[],
  options: IndexOptions,
): Promise<void> {
  if (paths.length === 0) return;
  const input = `${paths.join('\0')}\0`;
  await repository.output([...DURABLE, 'update-index', ...how, '-z', '--stdin'], { ...options, input });
}

/**
 * Separates the paths at which nothing is any more, also those whose folder became a link: git refuses to take what is
 * behind a link.
 */
export async function sortByPresence(
  folder: string,
  paths: readonly string[],
): Promise<{ gone: string[]; there: string[] }> {
  const folders = new Map<string, Promise<boolean>>();
  const isFolder = (path: string): Promise<boolean> => {
    if (path === '.') return Promise.resolve(true);
    const known = folders.get(path) ?? isPlainFolder(path);
    folders.set(path, known);
    return known;
  };
  const isPlainFolder = async (path: string) =>
    (await isFolder(dirname(path))) &&
    (await lstat(join(folder, path)).then(
      (facts) => facts.isDirectory(),
      () => false,
    ));
  const found = { gone: [] as string[], there: [] as string[] };
  for (const path of paths) {
    const isThere = (await isFolder(dirname(path))) && (await lstat(join(folder, path)).catch(() => undefined));
    found[isThere ? 'there' : 'gone'].push(path);
  }
  return found;
}

/** Returns how the index differs from the last commit, or from nothing before the first one. */
async function readStaged(repository: GitRepository, options: IndexOptions): Promise<string> {
  const how = ['diff-index', '--cached', '--raw', '-z', '--no-renames', '--no-abbrev'];
  const sinceHead = await repository.run([...how, 'HEAD', '--'], options);
  if (sinceHead.code === 0) return sinceHead.stdout;
  const head = await repository.run(['rev-parse', '--verify', '-q', 'HEAD^{tree}']);
  const empty = () => repository.output(['hash-object', '-t', 'tree', '--stdin'], { input: '' });
  const base = (head.code === 0 ? head.stdout : await empty()).trim();
  return repository.output([...how, base], options);
}

/** Takes what was staged of files that are left out back to the last commit. Returns whether there was any. */
async function restoreLeftOut(
  repository: GitRepository,
  staged: string,
  leaveOut: (path: string) => boolean,
  options: IndexOptions,
): Promise<boolean> {
  const lines = parseRawEntries(staged)
    .filter(({ path }) => leaveOut(path))
    .map(({ path, oldMode, oldId }) => `${oldMode} ${oldId}\t${path}\0`);
  if (lines.length > 0)
    await repository.output(['update-index', '-z', '--index-info'], { ...options, input: lines.join('') });
  return lines.length > 0;
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Returns the facts of a regular file; undefined when anything else is there, or nothing. */
async function findFile(path: string): Promise<Stats | undefined> {
  const facts = await lstat(path).catch(() => undefined);
  return facts?.isFile() ? facts : undefined;
}

/** Whether a regular file is too large, or one that git would end at because it cannot be read. */
async function isNotKept(path: string, isReadable: typeof canRead): Promise<boolean> {
  const facts = await findFile(path);
  return facts !== undefined && (facts.size > FILE_MAX_BYTES || !(await isReadable(path)));
}
