import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type GitEnvironment, runGit } from './git-command.js';

/** Relative to the project: what git must never track. */
const SECRET_FOLDERS = ['.mesh/credentials', '.mesh/state'];

/**
 * What git tracks of the secrets, which must be nothing. Where the project is its own repository, git is asked again only once its index is another than it was: a program
 * started for every secret that is written would cost more than the secret.
 */
export class TrackedSecrets {
  private known: { index: string; paths: Promise<string[]> } | undefined;

  constructor(
    private readonly root: string,
    private readonly environment: GitEnvironment,
  ) {}

  /** Their paths, relative to the project. Empty where there is no git. */
  async paths(): Promise<string[]> {
    const index = await this.index();
    if (index === undefined) return this.lookUp();
    if (this.known?.index !== index) this.known = { index, paths: this.lookUp() };
    return this.known.paths;
  }

  private async lookUp(): Promise<string[]> {
    const listed = await runGit(this.root, this.environment, ['ls-files', '-z', '--', ...SECRET_FOLDERS]);
    // What git could not tell now it may tell the next time.
    if (listed === undefined) this.known = undefined;
    return (listed ?? '').split('\0').filter((path) => path !== '');
  }

  /** Which file the index is and when it was written; undefined where it is elsewhere or nothing was added yet. */
  private async index(): Promise<string | undefined> {
    try {
      const { dev, ino, size, mtimeNs } = await stat(join(this.root, '.git', 'index'), { bigint: true });
      return [dev, ino, size, mtimeNs].join(' ');
    } catch {
      return undefined;
    }
  }
}
