import type { Citation } from '../../contract/asks.js';
import { CITATIONS_MAX } from '../../contract/limits.js';
import type { Citations, ReadableFile } from './citations.js';

/** Limit of the files that one call reads. */
const FILES_MAX_BYTES = 8 * 1024 * 1024;
const KEPT_MAX = 4_000;

/** Looks again at citations of earlier answers. Results are kept until `forget`. */
export class Recheck {
  private readonly kept = new Map<string, Citation>();

  constructor(private readonly citations: Pick<Citations, 'check' | 'read'>) {}

  /** Must be called whenever files may have changed. */
  forget(): void {
    this.kept.clear();
  }

  /** Returns the citations as they are now; after the first 200 or 8 MiB of files as they are given. */
  recheck(given: readonly Citation[]): Citation[] {
    const files = new Map<string, ReadableFile | undefined>();
    let left = FILES_MAX_BYTES;
    const readFile = (path: string) => {
      if (!files.has(path)) {
        const file = this.citations.read(path);
        left -= file?.bytes.length ?? 0;
        files.set(path, file);
      }
      return files.get(path);
    };
    return given.map((citation, index) => {
      if (index >= CITATIONS_MAX || citation.status === 'dropped') return citation;
      const key = createKey(citation);
      const known = this.kept.get(key);
      if (known || left <= 0) return known ?? citation;
      const current = toCurrent(citation, this.citations.check(citation, readFile));
      if (this.kept.size >= KEPT_MAX) this.kept.clear();
      this.kept.set(key, current);
      return current;
    });
  }
}

const createKey = ({ path, start_line, end_line, commit, status, sha256 }: Citation) =>
  JSON.stringify([path, start_line, end_line, commit, status, sha256]);

/** Returns `citation` with the lines and status of `found`, which is the result of checking it. */
function toCurrent(citation: Citation, found: Citation): Citation {
  const { start_line, end_line, commit, status } = citation;
  const given = { start_line, end_line, commit, status };
  if (found.status === 'checked') return citation;
  if (found.status === 'dropped') return { ...citation, status: 'changed', given };
  return {
    ...citation,
    start_line: found.start_line,
    end_line: found.end_line,
    commit: found.commit,
    status: 'moved',
    given,
  };
}
