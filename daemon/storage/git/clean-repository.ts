import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type GitEnvironment, runGitFully } from './git-command.js';
import type { GitRepository } from './git-repository.js';

/**
 * Runs `work` in an empty repository that has the objects of `repository` and one branch, and none of its configuration:
 * what git does there is decided by the user's own configuration alone. It is then removed. Throws `Error`.
 */
export async function withCleanRepository<T>(
  repository: GitRepository,
  { branch, commit, environment }: { branch: string; commit: string; environment: GitEnvironment },
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'meshd-push-'));
  try {
    const findPath = async (name: string) =>
      (await repository.output(['rev-parse', '--path-format=absolute', '--git-path', name])).trim();
    const run = async (args: readonly string[]) => {
      const { code, stderr } = await runGitFully(folder, environment, args);
      if (code !== 0) throw new Error(`git ${args[0]} failed: ${stderr.trim().split('\n').at(-1)}`);
    };
    const format = (await repository.output(['rev-parse', '--show-object-format'])).trim();
    // Not bare: with `safe.bareRepository=explicit`, git finds no bare repository in the folder that it works in.
    await run(['init', '-q', '--template=', `--object-format=${format}`, '.']);
    const gitFolder = join(folder, '.git');
    await writeFile(join(gitFolder, 'objects/info/alternates'), `${await findPath('objects')}\n`);
    // A clone without the whole history says so in this file.
    await copyFile(await findPath('shallow'), join(gitFolder, 'shallow')).catch(() => undefined);
    await run(['update-ref', `refs/heads/${branch}`, commit]);
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
