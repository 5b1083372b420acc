import type { FileBlame, FileBlameQuery } from '../../contract/code.js';
import { BLAME_LINES_MAX } from '../../contract/code.js';
import type { FileLines } from '../../contract/system.js';
import { MeshError } from '../../lib/errors.js';
import { isoTime } from '../../lib/time/clock.js';
import type { Blame } from '../../storage/git/git-blame.js';

interface FileBlamesParts {
  /** Throws `not_found` for a file that may not be read. */
  readLines: (path: string, start: number, end: number) => Promise<FileLines>;
  blame: (place: { path: string; from: number; to: number }) => Promise<Blame>;
}

/** Who last changed the lines of the files that the operator may read. */
export class FileBlames {
  constructor(private readonly parts: FileBlamesParts) {}

  /** Throws `bad_request` for lines in the wrong order, and `not_found` for a file that may not be read. */
  async read({ path, from = 1, to = from + BLAME_LINES_MAX - 1 }: FileBlameQuery): Promise<FileBlame> {
    if (to < from)
      throw new MeshError('bad_request', `\`to\` (${to}) is before \`from\` (${from}).`, { details: { path: 'to' } });
    const { total_lines, end_line } = await this.parts.readLines(path, from, Math.min(to, from + BLAME_LINES_MAX - 1));
    if (from > total_lines)
      throw new MeshError('bad_request', `\`from\` (${from}) is after the last line, ${total_lines}.`, {
        details: { path: 'from' },
      });
    const found = await this.parts.blame({ path, from, to: end_line });
    if (found.state !== 'blamed') return { path, state: found.state, commits: [], lines: [] };
    return {
      path,
      state: found.state,
      commits: found.commits.map(({ at, ...commit }) => ({ ...commit, at: isoTime(at) })),
      lines: found.lines.map(({ start, end, commit, isUnknown }) => ({
        ...{ start_line: start, end_line: end, commit },
        ...(isUnknown ? { is_unknown: true } : {}),
      })),
    };
  }
}
