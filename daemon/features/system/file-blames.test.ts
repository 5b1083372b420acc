import { describe, expect, it } from 'vitest';
import type { FileBlameQuery } from '../../contract/code.js';
import { FileBlames } from './file-blames.js';

type Parts = ConstructorParameters<typeof FileBlames>[0];
type Blame = Awaited<ReturnType<Parts['blame']>>;

/** Reads the blame of a file with 5,000 lines, and what was asked for it. */
async function read(query: FileBlameQuery, found: Blame = { state: 'blamed', commits: [], lines: [] }) {
  const asked: unknown[] = [];
  const blames = new FileBlames({
    readLines: async (path, start, end) => {
      asked.push([path, start, end]);
      return { path, start_line: start, end_line: Math.min(end, 5_000), total_lines: 5_000, lines: [], sha256: '' };
    },
    blame: async (place) => {
      asked.push(place);
      return found;
    },
  });
  return { asked, answer: await blames.read(query) };
}

describe('Blame of lines', () => {
  it.each<[string, Omit<FileBlameQuery, 'path'>, [number, number]]>([
    ['from the first line on without a place', {}, [1, 2_000]],
    ['as many as are shown at once', { from: 11 }, [11, 2_010]],
    ['those that are wanted', { from: 3, to: 3 }, [3, 3]],
    ['no more than are shown at once', { from: 3, to: 2_003 }, [3, 2_002]],
    ['none after the last', { from: 4_999 }, [4_999, 5_000]],
    ['the last one', { from: 5_000, to: 5_000 }, [5_000, 5_000]],
  ])('reads %s', async (_name, query, [from, to]) => {
    const { asked } = await read({ path: 'a.ts', ...query });
    expect(asked.at(-1)).toEqual({ path: 'a.ts', from, to });
  });

  it('asks for no more lines than are shown at once', async () => {
    expect((await read({ path: 'a.ts', to: 9_000 })).asked[0]).toEqual(['a.ts', 1, 2_000]);
  });

  it.each([
    [{ from: 3, to: 2 }, 'to', '`to` (2) is before `from` (3).'],
    [{ from: 5_001 }, 'from', '`from` (5001) is after the last line, 5000.'],
  ])('is refused for %j', async (query, path, message) => {
    await expect(read({ path: 'a.ts', ...query })).rejects.toMatchObject({
      ...{ code: 'bad_request', message, details: { path } },
    });
  });

  it('names the commits and their lines, and which are unknown', async () => {
    const commit = { hash: 'c1', author: 'Ada', subject: 'Light it' };
    const { answer } = await read(
      { path: 'a.ts' },
      {
        state: 'blamed',
        commits: [{ ...commit, at: Date.UTC(2026, 10, 21) }],
        lines: [
          { start: 1, end: 2, commit: 'c1' },
          { start: 3, end: 3, commit: null, isUnknown: true },
        ],
      },
    );
    expect(answer).toEqual({
      path: 'a.ts',
      state: 'blamed',
      commits: [{ ...commit, at: '2026-11-21T00:00:00.000Z' }],
      lines: [
        { start_line: 1, end_line: 2, commit: 'c1' },
        { start_line: 3, end_line: 3, commit: null, is_unknown: true },
      ],
    });
  });

  it('of a file that no commit holds has neither commits nor lines', async () => {
    const { answer } = await read({ path: 'a.ts' }, { state: 'not_in_head' });
    expect(answer).toEqual({ path: 'a.ts', state: 'not_in_head', commits: [], lines: [] });
  });
});
