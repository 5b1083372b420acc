import { lstatSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as waitForTick } from 'node:timers/promises';
import { MeshError } from '../../lib/errors.js';
import type { Clock } from '../../lib/time/clock.js';
import { type GitEnvironment, runGit } from '../git/git-command.js';
import { LIST_FILES, listedPaths, TRACKING_UNKNOWN, type Tracking } from '../git/tracked-files.js';
import { ProjectFiles } from '../project-files.js';
import { replaceText } from './project-tools-edit.js';
import { type LineWanted, lineTest, safeLines } from './project-tools-text.js';

/** How long a listing of the tree remains valid. */
const FRESH_MS = 2_000;
const FILES_MAX = 50_000;
/** Limits of the work between two pauses, so that the rest of the daemon is not blocked. */
const STATS_AT_ONCE = 256;
const READ_AT_ONCE_BYTES = 512 * 1024;
const READ_AT_ONCE_FILES = 32;
const SEARCH_MAX_MS = 5_000;

interface ProjectToolsOptions {
  root: string;
  environment: GitEnvironment;
  /** Reports whether the file at this path may be read. Must be false for files of secrets. */
  mayRead: (path: string) => boolean;
  /** Returns the text of a file, or undefined when it is not text. */
  toText: (bytes: Uint8Array) => string | undefined;
  clock: Clock;
}

interface LineSearch extends LineWanted {
  accepts: (path: string) => boolean;
  /** The maximum number of lines returned. */
  max: number;
}

interface LinesFound {
  matches: { path: string; line: number; text: string }[];
  /** There are more matches than `max`, or the time limit was reached. */
  hasMore: boolean;
}

/**
 * The files found, for the operator and for other programs; `outside` is undefined while git cannot
 * tell which files are tracked.
 */
interface FoundTools {
  operator: ReadonlySet<string>;
  outside: ReadonlySet<string> | undefined;
}

/** The tools that read the project without changing it. */
export type ReadingTools = Pick<ProjectTools, 'paths' | 'lines' | 'linesHolding'>;
type Profile = 'operator' | 'outside';

/**
 * The project as an agent's tools see it: the regular text files that git tracks or does not ignore and that may be
 * read. Links are not followed, files outside the project and files of secrets are excluded, and lines that look like
 * secrets are withheld. Long work yields to the event loop often.
 */
export class ProjectTools {
  private readonly files: ProjectFiles;
  private readonly root: string;
  private looked: { at: number; look: Promise<FoundTools> } | undefined;
  private lastEdit: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: ProjectToolsOptions) {
    this.root = realpathSync(options.root);
    this.files = new ProjectFiles(this.root, options.environment, options.mayRead);
  }

  /** Returns the paths of all files, sorted, relative with `/`; at most 50,000. */
  async paths(): Promise<readonly string[]> {
    return [...(await this.known('operator'))];
  }

  /**
   * Returns the tools for other programs: they see only what git tracks, and throw `forbidden` while git cannot tell.
   */
  forOutside(): ReadingTools {
    return {
      paths: async () => [...(await this.known('outside'))],
      lines: async (path) => this.linesAmong(await this.known('outside'), path, 'outside'),
      linesHolding: async (search, signal) => this.holding(await this.known('outside'), search, signal, 'outside'),
    };
  }

  /**
   * Returns all lines of the file at `path`; lines that look like secrets are withheld. Throws `not_found` for a
   * path that is not in `paths`.
   */
  async lines(path: string): Promise<readonly string[]> {
    return this.linesAmong(await this.known('operator'), path, 'operator');
  }

  private linesAmong(known: ReadonlySet<string>, path: string, profile: Profile): readonly string[] {
    const lines = known.has(path) ? this.read(path, profile)?.lines : undefined;
    if (!lines)
      throw new MeshError(
        'not_found',
        'No text file of this project that may be read has this path; `list` gives the paths.',
      );
    return lines;
  }

  /**
   * Returns the lines that contain any of `texts`, by path and line. A withheld line never matches. Throws the
   * signal's reason when it is aborted.
   */
  async linesHolding(search: LineSearch, signal: AbortSignal): Promise<LinesFound> {
    return this.holding(await this.known('operator'), search, signal, 'operator');
  }

  private async holding(
    known: ReadonlySet<string>,
    search: LineSearch,
    signal: AbortSignal,
    profile: Profile,
  ): Promise<LinesFound> {
    const { clock } = this.options;
    const isIn = lineTest(search);
    const started = clock.elapsed();
    const matches: LinesFound['matches'] = [];
    let bytes = 0;
    let files = 0;
    for (const path of known) {
      signal.throwIfAborted();
      if (!search.accepts(path)) continue;
      if (clock.elapsed() - started > SEARCH_MAX_MS) return { matches, hasMore: true };
      const found = this.read(path, profile);
      for (const [index, text] of found && isIn(found.text) ? found.lines.entries() : []) {
        if (!isIn(text)) continue;
        if (matches.length >= search.max) return { matches, hasMore: true };
        matches.push({ path, line: index + 1, text });
      }
      bytes += found?.text.length ?? 0;
      files += 1;
      if (bytes > READ_AT_ONCE_BYTES || files >= READ_AT_ONCE_FILES) {
        bytes = 0;
        files = 0;
        await waitForTick();
      }
    }
    return { matches, hasMore: false };
  }

  /**
   * Replaces the only occurrence of `old` in the file at `path` with `text`, atomically; an empty `old` creates a new
   * file. Returns the first line of the written text. Edits run one after another. Throws `not_found`, `bad_request`,
   * `forbidden`, and the errors of `atomicWrite`.
   */
  async replace(path: string, old: string, text: string): Promise<{ line: number }> {
    const edit = this.lastEdit.then(async () => {
      this.looked = undefined;
      const isKnown = (await this.known('operator')).has(path);
      const { mayRead, toText } = this.options;
      const written = await replaceText(
        { root: this.root, files: this.files, mayRead, toText },
        { path, isKnown, old, text },
      );
      this.looked = undefined;
      return written;
    });
    this.lastEdit = edit.catch(() => undefined);
    return edit;
  }

  private read(path: string, profile: Profile): { text: string; lines: readonly string[] } | undefined {
    const bytes = this.files.read(path)?.bytes;
    const text = bytes && this.options.toText(bytes);
    return text === undefined ? undefined : { text, lines: safeLines(text, { isStrict: profile === 'outside' }) };
  }

  private async known(profile: Profile): Promise<ReadonlySet<string>> {
    const now = this.options.clock.elapsed();
    if (!this.looked || now - this.looked.at > FRESH_MS) {
      const look = this.look();
      this.looked = { at: now, look };
      look.catch(() => {
        this.looked = undefined;
      });
    }
    const known = (await this.looked.look)[profile];
    if (!known) throw new MeshError('forbidden', TRACKING_UNKNOWN);
    return known;
  }

  private async look(): Promise<FoundTools> {
    const { environment, mayRead } = this.options;
    const output = await runGit(this.root, environment, LIST_FILES);
    if (output === undefined) {
      const { files, tracking } = this.files.list();
      return selectTools(new Map(files.map(({ path, tracked }) => [path, tracked])), tracking);
    }
    const listed = listedPaths(output);
    const candidates = [...listed.keys()].filter((path) => mayRead(path)).sort();
    const real = new Map<string, boolean>();
    const paths = new Map<string, boolean>();
    for (const [index, path] of candidates.slice(0, FILES_MAX).entries()) {
      if (index % STATS_AT_ONCE === STATS_AT_ONCE - 1) await waitForTick();
      const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
      let isReal = real.get(folder);
      if (isReal === undefined) {
        isReal = this.isRealFolder(folder);
        real.set(folder, isReal);
      }
      if (isReal && lstatSync(join(this.root, path), { throwIfNoEntry: false })?.isFile() === true)
        paths.set(path, listed.get(path) === true);
    }
    return selectTools(paths, 'git');
  }

  private isRealFolder(folder: string): boolean {
    const wanted = folder === '' ? this.root : join(this.root, folder);
    try {
      return realpathSync(wanted) === wanted && lstatSync(wanted).isDirectory();
    } catch {
      // Removed since git listed it.
      return false;
    }
  }
}

function selectTools(paths: ReadonlyMap<string, boolean>, tracking: Tracking): FoundTools {
  const tracked = [...paths].flatMap(([path, isTracked]) => (isTracked ? [path] : []));
  return { operator: new Set(paths.keys()), outside: tracking === 'unknown' ? undefined : new Set(tracked) };
}
