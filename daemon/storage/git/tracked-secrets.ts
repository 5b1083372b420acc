import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type GitEnvironment, runGit } from './git-command.js';

/** Folders that git must never track, relative to the project. */
const SECRET_FOLDERS = ['.mesh/credentials', '.mesh/state'];

/**
 * Finds the secrets that git tracks; there must be none. Where the project is its own repository, git runs
 * again only after its index has changed, because starting a process for every secret that is written
 * would cost more than the write.
 */
export class TrackedSecrets {
  private known: { index: string; paths: Promise<string[]> } | undefined;

  constructor(
    private readonly root: string,
    private readonly environment: GitEnvironment,
  ) {}

  /** Returns their paths, relative to the project. Empty where there is no git. */
  async paths(): Promise<string[]> {
    const index = await this.index();
    if (index === undefined) return this.lookUp();
    if (this.known?.index !== index) this.known = { index, paths: this.lookUp() };
    return this.known.paths;
  }

  private async lookUp(): Promise<string[]> {
    const listed = await runGit(this.root, this.environment, ['ls-files', '-z', '--', ...SECRET_FOLDERS]);
    // A failed listing is not cached, because the next one can succeed.
    if (listed === undefined) this.known = undefined;
    return (listed ?? '').split('\0').filter((path) => path !== '');
  }

  /** Identifies the index file and its last write; undefined where the index is elsewhere or nothing was added yet. */
  private async index(): Promise<string | undefined> {
    try {
      const { dev, ino, size, mtimeNs } = await stat(join(this.root, '.git', 'index'), { bigint: true });
      return [dev, ino, size, mtimeNs].join(' ');
    } catch {
      return undefined;
    }
  }
}
