import { lstat, mkdir, open, readlink, rename, rm, rmdir, symlink, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sha256Hex } from '../../lib/crypto/digests.js';
import { toStorageError } from '../../lib/disk-errors.js';
import { systemCode } from '../../lib/errors.js';
import { syncDirectory } from '../files/atomic-write.js';
import { isNeverCommitted } from './snapshot.js';
import { compareTrees, type TreeChange } from './tree-comparison.js';
import type { WorkingTree, WorkingTrees } from './working-trees.js';

const TIMEOUT_MS = 120_000;

/** The name under which a file is written before it takes its place: the same at each attempt. */
const incomingPath = (path: string) => join(dirname(path), `.meshd-${sha256Hex(path).slice(0, 16)}.tmp`);

/**
 * Makes the files of a working folder those of the tree `to`. Only files that differ from `now` are written, each at
 * once or not at all; nothing is written through a link. Ignored files, files that `now` left out, files whose filter
 * is not run and repositories inside the folder are not touched. Returns how many were put back and the paths that
 * could not be. May be repeated after a crash with a new snapshot. Throws `internal` and `no_space`.
 */
export async function putBack(
  trees: WorkingTrees,
  now: WorkingTree,
  to: string,
): Promise<{ files: number; skipped: string[] }> {
  const { folder } = now.repository;
  const differing = (await compareTrees(now.repository, now.tree, to, { renames: false })).filter(
    ({ path, isSubmodule }) => !isSubmodule && !isNeverCommitted(path) && !now.leftOut.has(path),
  );
  const skipped = await now.repository.findUnfiltered(differing.map(({ path }) => path));
  const unfiltered = new Set(skipped);
  const changes = differing.filter(({ path }) => !unfiltered.has(path));
  let files = 0;
  const staged = await stage(trees, now, to, changes);
  try {
    // Files go before others come, because a folder may take the place of a file.
    for (const change of [...changes].sort((a, b) => Number(b.status === 'deleted') - Number(a.status === 'deleted'))) {
      const isDone =
        change.status === 'deleted'
          ? await removeFile(folder, change.path)
          : await writeFile(folder, change, join(staged.files, change.path));
      if (isDone) files += 1;
      else skipped.push(change.path);
    }
  } catch (error) {
    throw toStorageError(error);
  } finally {
    await rm(staged.folder, { recursive: true, force: true });
  }
  return { files, skipped };
}

/** Removes what a cut-off `putBack` from `from` to `to` left beside the files. Must precede the next snapshot. */
export async function removeIncoming(repository: WorkingTree['repository'], from: string, to: string): Promise<void> {
  const { folder } = repository;
  for (const { path } of await compareTrees(repository, from, to, { renames: false }))
    if (await isPlainFolder(folder, dirname(path))) await rm(join(folder, incomingPath(path)), { force: true });
}

/** Writes the new contents of the changed files below a folder of meshd, as git writes them into a working tree. */
async function stage(
  trees: WorkingTrees,
  { repository }: WorkingTree,
  to: string,
  changes: readonly TreeChange[],
): Promise<{ folder: string; files: string }> {
  const folder = trees.newPath('.files');
  const { prefix } = await repository.findPlace();
  const paths = changes.filter(({ status }) => status !== 'deleted').map(({ path }) => path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (paths.length > 0) {
    const options = { env: { GIT_INDEX_FILE: join(folder, 'index') }, timeoutMs: TIMEOUT_MS };
    await repository.output(['read-tree', to], options);
    const input = `${paths.join('\0')}\0`;
    const args = ['checkout-index', '-f', '-q', '-z', '--stdin', `--prefix=${folder}/files/`];
    await repository.output(args, { ...options, input });
  }
  return { folder, files: join(folder, 'files', prefix) };
}

/** Whether every part of `path` below `folder` is a folder and not a link. */
async function isPlainFolder(folder: string, path: string): Promise<boolean> {
  if (path === '.') return true;
  if (!(await isPlainFolder(folder, dirname(path)))) return false;
  const facts = await lstat(join(folder, path)).catch(() => undefined);
  return facts?.isDirectory() === true;
}

/** Removes a file or link, and the folders that are then empty. Returns false when something else is there. */
async function removeFile(folder: string, path: string): Promise<boolean> {
  if (!(await isPlainFolder(folder, dirname(path)))) return true;
  const facts = await lstat(join(folder, path)).catch(() => undefined);
  if (!facts) return true;
  if (facts.isDirectory()) return false;
  await unlink(join(folder, path));
  for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) {
    try {
      await rmdir(join(folder, parent));
    } catch {
      break;
    }
  }
  return true;
}

/** Creates the folders that lead to a file. Returns false when a link or a file is in their place. */
async function makeFolders(folder: string, path: string): Promise<boolean> {
  if (path === '.') return true;
  if (!(await makeFolders(folder, dirname(path)))) return false;
  await mkdir(join(folder, path)).catch((error: unknown) => {
    if (systemCode(error) !== 'EEXIST') throw error;
  });
  return (await lstat(join(folder, path))).isDirectory();
}

/** Replaces a file or link by the staged one. Returns false when something is there that was not kept. */
async function writeFile(folder: string, { path, status }: TreeChange, source: string): Promise<boolean> {
  if (!(await makeFolders(folder, dirname(path)))) return false;
  const target = join(folder, path);
  const there = await lstat(target).catch(() => undefined);
  // What is at the path of a file that the snapshot lacks is ignored by git, and not kept anywhere.
  if (there && (status === 'added' || there.isDirectory())) return false;
  const incoming = join(folder, incomingPath(path));
  await rm(incoming, { force: true });
  const facts = await lstat(source);
  if (facts.isSymbolicLink()) await symlink(await readlink(source), incoming);
  else await copyDurably(source, incoming, facts.mode & 0o777);
  await rename(incoming, target);
  await syncDirectory(dirname(target));
  return true;
}

async function copyDurably(source: string, target: string, mode: number): Promise<void> {
  const [from, to] = [await open(source, 'r'), await open(target, 'wx', mode)];
  try {
    await to.writeFile(await from.readFile());
    await to.sync();
  } finally {
    await from.close();
    await to.close();
  }
}
