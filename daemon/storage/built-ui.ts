import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../lib/errors.js';

/** One name, or one in `assets`: nothing hidden, no other folder. */
const OWN_FILE = /^(?:assets\/)?[\w-]+(?:\.[\w-]+)+$/;

/**
 * The files of the built dashboard. Those in `assets` carry a digest of their content in their name: each is read from the disk once and kept, some 1.5 MB in
 * all, for a page asks for a dozen of them before it is drawn.
 */
export class BuiltUi {
  private readonly kept = new Map<string, Buffer>();

  constructor(private readonly folder: string) {}

  /** Undefined where there is no such file. */
  async read(path: string): Promise<Buffer | undefined> {
    if (!OWN_FILE.test(path)) return undefined;
    const kept = this.kept.get(path);
    if (kept) return kept;
    try {
      const content = await readFile(join(this.folder, path));
      if (path.startsWith('assets/')) this.kept.set(path, content);
      return content;
    } catch (error) {
      if (systemCode(error) === 'ENOENT' || systemCode(error) === 'EISDIR') return undefined;
      throw error;
    }
  }
}
