import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { MeshError, systemCode } from '../../lib/errors.js';
import { ensureDirectory } from '../files/atomic-write.js';
import { type FileState, MarkdownFolder } from './markdown-folder.js';

const DEPTH_MAX = 8;
/** Maximum number of entries examined per folder, so that a folder of a million files does not block. */
const ENTRIES_MAX = 10_000;

/** The result of listing a folder: paths of files with a requested ending, and folders that cannot be read. */
interface FoundPaths {
  paths: string[];
  refused: { path: string; reason: string }[];
}

/**
 * Files of other tools below one root; their content is untrusted. Links are not followed, neither on the way nor at
 * the end. Only regular files of at most 256 KiB of UTF-8 are read. Paths are relative to the root, with `/`.
 */
export class AgentFiles {
  constructor(private readonly root: string) {}

  /**
   * Returns the files below `folder` whose name ends in one of `endings`, sorted. Links among them are listed,
   * but refused when they are read.
   */
  async list(folder: string, endings: readonly string[], isDeep: boolean): Promise<FoundPaths> {
    try {
      if (!(await this.folderAt(folder).exists())) return { paths: [], refused: [] };
    } catch (error) {
      if (!(error instanceof MeshError)) throw error;
      return {
        paths: [],
        refused: [
          { path: folder, reason: 'The folder is a link or a file, or lies behind one: links are not followed.' },
        ],
      };
    }
    const paths: string[] = [];
    const folders = [{ path: folder, depth: 0 }];
    for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
      for (const entry of (await this.entries(at.path)).slice(0, ENTRIES_MAX)) {
        const path = `${at.path}/${entry.name}`;
        if (!isPlainPath(path) || entry.name.startsWith('.')) continue;
        if (entry.isDirectory()) {
          if (isDeep && at.depth < DEPTH_MAX && entry.name !== 'node_modules')
            folders.push({ path, depth: at.depth + 1 });
        } else if (endings.some((ending) => entry.name.endsWith(ending))) paths.push(path);
      }
    }
    return { paths: paths.sort(), refused: [] };
  }

  /**
   * Returns the present content of the file at `path`; undefined when it does not exist. A link, a file that is too
   * large, or one that is not UTF-8 is returned as unreadable, with the reason.
   */
  async read(path: string): Promise<FileState | undefined> {
    const { folder, name } = splitPath(path);
    const place = this.folderAt(folder);
    try {
      if (!(await place.exists())) return undefined;
    } catch (error) {
      if (!(error instanceof MeshError)) throw error;
      return {
        kind: 'unreadable',
        problem: { line: 1, column: 1, reason: 'It lies behind a link: links are not followed.' },
        revision: '',
      };
    }
    return place.read(name);
  }

  /**
   * Writes `text` to `path` atomically. Throws `forbidden` or `file_changed` when a link or a file that
   * is not regular is in the way.
   */
  async write(path: string, text: string, mode?: number): Promise<void> {
    const { folder, name } = splitPath(path);
    await this.folderAt(folder).write(name, text, mode);
  }

  /** Removes the file at `path` durably. Throws `forbidden` when a link is on the way. Calling it again is safe. */
  async remove(path: string): Promise<void> {
    const { folder, name } = splitPath(path);
    await this.folderAt(folder).remove(name);
  }

  private folderAt(folder: string): MarkdownFolder {
    return new MarkdownFolder(this.root, folder === '' ? [] : folder.split('/'), () => undefined);
  }

  private async entries(folder: string) {
    try {
      return await readdir(join(this.root, folder), { withFileTypes: true });
    } catch (error) {
      // A folder that was removed meanwhile, or cannot be read, counts as empty.
      if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(systemCode(error) ?? '')) return [];
      throw error;
    }
  }
}

/** Original texts of imports, keyed by the SHA-256 of their bytes, in a folder of the daemon. */
export class StoredTexts {
  private readonly files: AgentFiles;

  constructor(
    private readonly state: string,
    private readonly folder: string,
  ) {
    this.files = new AgentFiles(state);
  }

  /** Returns the text with that digest; undefined when it was not stored here or was modified. */
  async find(sha256: string): Promise<string | undefined> {
    if (!/^[0-9a-f]{64}$/.test(sha256)) return undefined;
    const state = await this.files.read(`${this.folder}/${sha256}`);
    return state?.kind === 'text' && state.revision === sha256 ? state.text : undefined;
  }

  async keep(sha256: string, text: string): Promise<void> {
    await ensureDirectory(join(this.state, this.folder), 0o700);
    if ((await this.find(sha256)) === undefined) await this.files.write(`${this.folder}/${sha256}`, text, 0o600);
  }
}

/**
 * Reports whether a relative path names exactly one place: no `..`, no empty part, no backslash or control character.
 */
export function isPlainPath(path: string): boolean {
  if (path.length > 1_024) return false;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused here
  if (/[\\\u0000-\u001f\u007f]/.test(path) || /^[A-Za-z]:/.test(path)) return false;
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

function splitPath(path: string): { folder: string; name: string } {
  if (!isPlainPath(path))
    throw new MeshError('bad_request', 'The path must be relative, without `..` and backslashes.');
  const slash = path.lastIndexOf('/');
  return { folder: path.slice(0, Math.max(0, slash)), name: path.slice(slash + 1) };
}
