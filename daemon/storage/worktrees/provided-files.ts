import { constants } from 'node:fs';
import { cp, lstat, mkdir, readdir, realpath, symlink } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { MeshError } from '../../lib/errors.js';
import { findPatternMistake, fitsNamePattern } from '../../lib/text/path-pattern.js';

interface ProvidedPatterns {
  copy: readonly string[];
  link: readonly string[];
}

/**
 * Copies and links what the operator's patterns name from the project at `root` into the worktree's folder. Nothing
 * outside the project is reached, no existing file is replaced, and no link of the worktree is followed. Returns the
 * relative paths of what was made.
 */
export async function provideFiles(root: string, folder: string, { copy, link }: ProvidedPatterns): Promise<string[]> {
  const [from, to] = await Promise.all([realpath(root), realpath(folder)]);
  const made: string[] = [];
  for (const [patterns, isLink] of [
    [copy, false],
    [link, true],
  ] as const) {
    for (const pattern of patterns) {
      const mistake = findPatternMistake(pattern);
      if (mistake !== undefined) throw new MeshError('bad_request', mistake);
      for (const path of await findMatches(from, pattern.split('/'))) {
        if (await provide(from, to, path, isLink)) made.push(path);
      }
    }
  }
  return made;
}

async function provide(from: string, to: string, path: string, isLink: boolean): Promise<boolean> {
  const source = join(from, path);
  const target = join(to, path);
  if (await lstat(target).catch(() => undefined)) return false;
  if (!(await makeFolder(to, dirname(path)))) return false;
  if (isLink) await symlink(source, target);
  else
    await cp(source, target, {
      recursive: true,
      verbatimSymlinks: true,
      errorOnExist: true,
      force: false,
      mode: constants.COPYFILE_FICLONE,
    });
  return true;
}

/** Makes the folder `path` below `to`. Returns false when a link or a file is in the way. */
async function makeFolder(to: string, path: string): Promise<boolean> {
  if (path === '.') return true;
  if (!(await makeFolder(to, dirname(path)))) return false;
  await mkdir(join(to, path)).catch(() => undefined);
  return (await lstat(join(to, path)).catch(() => undefined))?.isDirectory() === true;
}

/** Returns the existing paths below `root` that fit the parts of a pattern and whose real place is in the project. */
async function findMatches(root: string, parts: readonly string[], folder = ''): Promise<string[]> {
  const [part, ...rest] = parts as [string, ...string[]];
  const names = /[*?]/.test(part)
    ? (await readdir(join(root, folder)).catch(() => [])).filter(
        (name) => fitsNamePattern(name, part) && name !== '.git' && !(folder === '' && name === '.mesh'),
      )
    : [part];
  const found: string[] = [];
  for (const name of names.sort()) {
    const path = folder === '' ? name : `${folder}/${name}`;
    const place = await realpath(join(root, path)).catch(() => undefined);
    if (place === undefined || !place.startsWith(root + sep)) continue;
    if (rest.length === 0) found.push(path);
    else found.push(...(await findMatches(root, rest, path)));
  }
  return found;
}
