import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { foldsNames, listTracked, SECRET_FOLDERS, trackedSecrets } from '../../private/tracked-path.js';
import { type GitEnvironment, runGit } from './git-command.js';
import { mayListAny } from './index-paths.js';

const INDEX = join('.git', 'index');
/** The largest index that is read here instead of by git: about a hundred thousand files. */
const INDEX_MAX_BYTES = 16 * 1024 * 1024;

/**
 * Finds the secrets that git tracks; there must be none. Where the project is its own repository, its index is looked
 * at again only after it has changed, and git runs only when the index may list one, because starting a process for
 * every start of the daemon and for every secret that is written would cost more than the write.
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
    if (this.known?.index !== index.state) this.known = { index: index.state, paths: this.pathsIn(index.bytes) };
    return this.known.paths;
  }

  private async pathsIn(indexBytes: number): Promise<string[]> {
    return (await this.mayList(indexBytes)) ? this.lookUp() : [];
  }

  /** Whether git must be asked; true when the index cannot be read, or may name the folders in other letters. */
  private async mayList(bytes: number): Promise<boolean> {
    if (bytes > INDEX_MAX_BYTES || foldsNames(this.root)) return true;
    try {
      return mayListAny(await readFile(join(this.root, INDEX)), SECRET_FOLDERS);
    } catch {
      return true;
    }
  }

  private async lookUp(): Promise<string[]> {
    const listed = await runGit(this.root, this.environment, listTracked(foldsNames(this.root)));
    // A failed listing is not cached, because the next one can succeed.
    if (listed === undefined) this.known = undefined;
    return trackedSecrets(listed ?? '');
  }

  /** Identifies the index file and its last write; undefined where the index is elsewhere or nothing was added yet. */
  private async index(): Promise<{ state: string; bytes: number } | undefined> {
    try {
      const { dev, ino, size, mtimeNs } = await stat(join(this.root, INDEX), { bigint: true });
      return { state: [dev, ino, size, mtimeNs].join(), bytes: Number(size) };
    } catch {
      return undefined;
    }
  }
}
