import { lstat, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type GitEnvironment, runGit } from '../git/git-command.js';
import { type Tracking, trackingWithoutList } from '../git/tracked-files.js';
import type { MeshFolder } from '../mesh-folder.js';

/**
 * Returns those of `.mesh/credentials`, its entries and `.mesh/state` that other users can
 * access, relative to the project.
 */
export async function looseFiles(folder: MeshFolder): Promise<string[]> {
  const loose: string[] = [];
  for (const directory of [folder.credentials, folder.state]) {
    const entries = await readdir(directory).catch(() => []);
    const paths = [
      directory,
      ...(directory === folder.credentials ? entries.map((name) => join(directory, name)) : []),
    ];
    for (const path of paths) {
      const found = await lstat(path).catch(() => undefined);
      if (found && (found.mode & 0o077) !== 0) loose.push(relative(folder.root, path));
    }
  }
  return loose;
}

/** Returns whether the project is in a git repository, and whether git can read it. */
export async function findTracking({ root }: MeshFolder, environment: GitEnvironment): Promise<Tracking> {
  const inside = await runGit(root, environment, ['rev-parse', '--is-inside-work-tree']);
  return inside?.trim() === 'true' ? 'git' : trackingWithoutList(root);
}

/** Returns the text of a project file in git HEAD, or null when it is not committed. */
export async function committedText(
  folder: MeshFolder,
  path: string,
  environment: GitEnvironment,
): Promise<string | null> {
  return (await runGit(folder.root, environment, ['show', `HEAD:./${path}`])) ?? null;
}
