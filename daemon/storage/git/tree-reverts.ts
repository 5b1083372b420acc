import { rm } from 'node:fs/promises';
import { MeshError } from '../../lib/errors.js';
import type { GitRepository } from './git-repository.js';

/** A tree that is to be changed, with a temporary index for it. */
export interface HunkChange {
  repository: GitRepository;
  tree: string;
  /** A path that nothing uses; removed at the end. */
  index: string;
}

/** The name of the only file while a hunk is applied, so that no name of the caller reaches a patch. */
const ALONE = 'file';

/** Returns the tree in which `paths` are as in the tree `old`, or absent when they are not there. Throws `internal`. */
export async function revertFiles(change: HunkChange, old: string, paths: readonly string[]): Promise<string> {
  const { prefix } = await change.repository.findPlace();
  const entries = await Promise.all(paths.map((path) => readEntry(change.repository, old, prefix + path)));
  return writeEntries(
    change,
    paths.map((path, at) => [prefix + path, entries[at]]),
  );
}

/**
 * Returns the tree in which one hunk of a file is undone. Throws `bad_request` for what is not a hunk, and
 * `file_changed` when the file does not hold it.
 */
export async function revertHunk(change: HunkChange, path: string, hunk: string): Promise<string> {
  const { repository, tree, index } = change;
  if (!/^@@ -\d/.test(hunk))
    throw new MeshError('bad_request', '"hunk" must begin with its `@@` line.', { details: { path: 'hunk' } });
  const { prefix } = await repository.findPlace();
  const entry = await readEntry(repository, tree, prefix + path);
  const changed = new MeshError(
    'file_changed',
    `\`${path.slice(0, 200)}\` no longer holds this change: load it again.`,
  );
  if (!entry) throw changed;
  const options = { env: { GIT_INDEX_FILE: index } };
  try {
    await repository.output(['read-tree', '--empty'], options);
    const info = `${entry.mode} ${entry.id}\t${ALONE}\0`;
    await repository.output(['update-index', '-z', '--index-info'], { ...options, input: info });
    const input = `diff --git a/${ALONE} b/${ALONE}\n--- a/${ALONE}\n+++ b/${ALONE}\n${hunk.replace(/\n?$/, '\n')}`;
    const args = ['apply', '--cached', '--reverse', '--recount', '--unidiff-zero', '--whitespace=nowarn', '-'];
    // Paths of a patch are those from the top: in a folder below it, git would skip the file.
    const top = (await repository.output(['rev-parse', '--show-toplevel'])).slice(0, -1);
    const applied = await repository.at(top).run(args, { ...options, input });
    if (applied.code !== 0) throw changed;
    const undone = await repository.at(top).output(['ls-files', '-s', '--', ALONE], options);
    const [mode, id] = undone.split(' ') as [string, string?];
    if (id === undefined) throw changed;
    return await writeEntries(change, [[prefix + path, { mode, id }]]);
  } finally {
    await rm(index, { force: true });
  }
}

interface Entry {
  mode: string;
  id: string;
}

/** Returns the file at a path from the top of the repository, or undefined. */
async function readEntry(repository: GitRepository, tree: string, path: string): Promise<Entry | undefined> {
  const listed = await repository.output(['ls-tree', '-z', '--full-tree', tree, '--', path]);
  // "<mode> <type> <id>\t<path>" and a zero byte.
  const [mode, type, id] = listed.split(/[ \t]/, 3) as [string, string, string];
  return type === 'blob' ? { mode, id } : undefined;
}

async function writeEntries(
  { repository, tree, index }: HunkChange,
  entries: readonly (readonly [path: string, entry: Entry | undefined])[],
): Promise<string> {
  const options = { env: { GIT_INDEX_FILE: index } };
  try {
    await repository.output(['read-tree', tree], options);
    const absent = `0 ${'0'.repeat(tree.length)}`;
    const lines = entries.map(([path, entry]) => `${entry ? `${entry.mode} ${entry.id}` : absent}\t${path}\0`);
    await repository.output(['update-index', '-z', '--index-info'], { ...options, input: lines.join('') });
    return (await repository.output(['write-tree'], options)).trim();
  } finally {
    await rm(index, { force: true });
  }
}
