import type { Citation } from '../../contract/asks.js';
import { sha256Hex } from '../../lib/crypto/digests.js';
import type { GitLog } from '../../storage/git/git-log.js';
import { safeLines, WITHHELD } from '../../storage/members/project-tools-text.js';
import type { ProjectFiles } from '../../storage/project-files.js';
import { readableText, splitLines } from './passages/file-worth.js';

const QUOTE_MAX_CHARS = 16_384;
/** A shorter quote is too unspecific to be looked for at other lines. */
const MOVED_MIN_CHARS = 12;

/** Limit of line comparisons in the search for a moved quote. */
const COMPARISONS_MAX = 2_000_000;

/** A file that a citation can be checked against. */
export interface ReadableFile {
  bytes: Uint8Array;
  lines: readonly string[];
  /** The same lines, with those that look like secrets withheld. */
  safe: readonly string[];
}

/** Creates citations from files on disk, and checks citations from any source. */
export class Citations {
  constructor(
    private readonly files: Pick<ProjectFiles, 'read'>,
    private readonly log: GitLog,
    private readonly head: () => string | null,
    /** Whether lines that only resemble secrets are withheld as well. */
    private readonly isStrict = false,
  ) {}

  /**
   * Returns a citation of lines of `path`, without blank lines at the end, or undefined when the lines do not exist or
   * contain something like a secret.
   */
  cite(path: string, startLine: number, endLine: number): Citation | undefined {
    const file = this.read(path);
    if (!file || startLine < 1 || endLine < startLine || endLine > file.lines.length) return undefined;
    // A blank last line is not part of what `check` finds again.
    const last = file.lines.slice(startLine - 1, endLine).findLastIndex((line) => /\S/.test(line));
    return this.citation(path, file, startLine, last < 0 ? endLine : startLine + last);
  }

  /** Checks a citation against the file on disk, by its quote, not its line numbers. Forbidden paths are `dropped`. */
  check(given: Citation, readFile = (path: string) => this.read(path)): Citation {
    const dropped: Citation = { ...given, commit: null, status: 'dropped' };
    const { path, quote, start_line: start } = given;
    if (typeof path !== 'string' || typeof quote !== 'string' || !/\S/.test(quote) || quote.length > QUOTE_MAX_CHARS)
      return dropped;
    const file = readFile(path);
    if (!file) return dropped;
    const wanted = splitLines(quote);
    const at = getPlace(file.lines, wanted, Number.isInteger(start) ? start : 1);
    if (at === undefined) return dropped;
    const isThere = at === start && at + wanted.length - 1 === given.end_line;
    const found = this.citation(path, file, at, at + wanted.length - 1);
    return found ? { ...found, status: isThere ? 'checked' : 'moved' } : dropped;
  }

  private citation(path: string, file: ReadableFile, startLine: number, endLine: number): Citation | undefined {
    const quote = file.lines.slice(startLine - 1, endLine).join('\n');
    if (file.safe.slice(startLine - 1, endLine).includes(WITHHELD)) return undefined;
    const head = this.head();
    const commit = head !== null && this.log.isUnchanged(head, path, file.bytes) ? head : null;
    return {
      path,
      start_line: startLine,
      end_line: endLine,
      commit,
      sha256: sha256Hex(quote),
      quote,
      status: 'checked',
    };
  }

  /** Reads a file. Returns undefined when it is gone, may not be read, or is not text. */
  read(path: string): ReadableFile | undefined {
    const bytes = this.files.read(path)?.bytes;
    const text = bytes && readableText(bytes);
    return bytes === undefined || text === undefined
      ? undefined
      : { bytes, lines: splitLines(text), safe: safeLines(text, { isStrict: this.isStrict }) };
  }
}

/** Returns the line nearest to `near` where `wanted` occurs, exactly or up to outer whitespace; else undefined. */
function getPlace(lines: readonly string[], wanted: readonly string[], near: number): number | undefined {
  let left = COMPARISONS_MAX;
  const isAt = (line: number, same: (a: string, b: string) => boolean) =>
    wanted.every((text, index) => {
      left -= 1;
      const there = lines[line - 1 + index];
      return there !== undefined && same(there, text);
    });
  const isExact = (a: string, b: string) => a === b;
  const isTrimmed = (a: string, b: string) => a.trim() === b.trim();
  if (near >= 1 && isAt(near, isTrimmed)) return near;
  if (wanted.join('').replace(/\s/g, '').length < MOVED_MIN_CHARS) return undefined;
  let best: number | undefined;
  for (const same of [isExact, isTrimmed]) {
    for (let line = 1; line + wanted.length - 1 <= lines.length && left > 0; line += 1) {
      if (isAt(line, same) && (best === undefined || Math.abs(line - near) < Math.abs(best - near))) best = line;
    }
    if (best !== undefined) return best;
  }
  return undefined;
}
