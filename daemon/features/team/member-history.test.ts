import { describe, expect, it } from 'vitest';
import type { MemberDetail, MemberList } from '../../contract/team.js';
import type { FileCommit } from '../../storage/git/git-output.js';
import type { FileState } from '../../storage/members/markdown-folder.js';
import { MembersHistory } from './member-history.js';

/** The id that git gives to the text `x`. */
const BLOB_OF_X = 'c1b0730e0133447badcfd47fd144e254807b06e1';
const commit = (at: number): FileCommit => ({ hash: `hash-${at}`, at, author: 'Ada', subject: `Commit ${at}` });

function historyOf({
  commits = [],
  blobs = [],
  texts = {},
  files = {},
}: {
  commits?: FileCommit[];
  blobs?: [string, string][];
  texts?: Record<string, string>;
  files?: Record<string, FileState>;
}) {
  const asked: unknown[] = [];
  const history = new MembersHistory(
    {
      list: async () => ({ members: [{ id: 'ada' }, { id: 'bea' }, { id: 'cleo' }] }) as unknown as MemberList,
      get: async (id) => {
        if (id === 'nobody') throw new Error('There is no such member.');
        return { id } as MemberDetail;
      },
    },
    { read: async (id) => files[id], pathOf: (id) => `.mesh/team/${id}.md` },
    {
      isThere: async () => true,
      commits: async (path, limit) => {
        asked.push([path, limit]);
        return commits.slice(0, limit);
      },
      textAt: async (at, path) => texts[`${at}:${path}`] ?? null,
      blobs: async (folder) => {
        asked.push(folder);
        return new Map(blobs);
      },
    },
  );
  return { history, asked };
}
const text = (value: string): FileState => ({ kind: 'text', text: value, revision: '' });

describe('the history of the roster', () => {
  it('tells for each file whether it is as in HEAD, otherwise, or not in HEAD', async () => {
    const { history, asked } = historyOf({
      blobs: [
        ['.mesh/team/ada.md', BLOB_OF_X],
        ['.mesh/team/bea.md', BLOB_OF_X],
      ],
      files: { ada: text('x'), bea: text('y'), cleo: text('x') },
    });
    expect(await history.roster()).toEqual({
      repository: true,
      members: [
        { id: 'ada', standing: 'committed' },
        { id: 'bea', standing: 'changed' },
        { id: 'cleo', standing: 'uncommitted' },
      ],
      count: 3,
    });
    expect(asked).toEqual(['.mesh/team']);
  });

  it('counts a file that is gone or cannot be read as changed', async () => {
    const unreadable: FileState = { kind: 'unreadable', problem: { line: 1, column: 1, reason: '' }, revision: '' };
    const { history } = historyOf({
      blobs: ['ada', 'bea'].map((id) => [`.mesh/team/${id}.md`, BLOB_OF_X]),
      files: { bea: unreadable },
    });
    const { members } = await history.roster();
    expect(members.map(({ standing }) => standing)).toEqual(['changed', 'changed', 'uncommitted']);
  });
});

describe('the history of a member', () => {
  it('names the newest commits, at most as many as asked for, and whether there are more', async () => {
    const { history, asked } = historyOf({ commits: [commit(3_000), commit(2_000), commit(1_000)] });
    expect(await history.of('ada', 2)).toEqual({
      ...{ id: 'ada', path: '.mesh/team/ada.md', repository: true, standing: 'uncommitted' },
      commits: [
        { commit: 'hash-3000', at: '1970-01-01T00:00:03.000Z', author: 'Ada', subject: 'Commit 3000' },
        { commit: 'hash-2000', at: '1970-01-01T00:00:02.000Z', author: 'Ada', subject: 'Commit 2000' },
      ],
      ...{ count: 2, has_more: true },
    });
    expect(await history.of('ada', 3)).toMatchObject({ count: 3, has_more: false });
    expect(asked[0]).toEqual(['.mesh/team/ada.md', 3]);
  });

  it('shows a hundred commits unless another number is named', async () => {
    const { history } = historyOf({ commits: Array.from({ length: 101 }, (_, at) => commit(at)) });
    expect(await history.of('ada')).toMatchObject({ commits: { length: 100 }, count: 100, has_more: true });
  });

  it('is that of a member that exists', async () => {
    const { history } = historyOf({});
    await expect(history.of('nobody')).rejects.toThrow('no such member');
    await expect(history.revision('nobody', 'c')).rejects.toThrow('no such member');
  });
});

describe('a revision', () => {
  const id = 'c0ffee'.repeat(6);

  it.each([
    [{ [`${id}:.mesh/team/ada.md`]: 'now' }, 'now', null],
    [{ [`${id}^:.mesh/team/ada.md`]: 'then' }, null, 'then'],
    [{ [`${id}:.mesh/team/ada.md`]: 'now', [`${id}^:.mesh/team/ada.md`]: '' }, 'now', ''],
  ])('has the text after the commit and before it: %#', async (texts, after, before) => {
    const { history } = historyOf({ texts });
    expect(await history.revision('ada', id)).toEqual({ id: 'ada', commit: id, text: after, before });
  });

  it('is refused when the file is in neither', async () => {
    await expect(historyOf({}).history.revision('ada', id)).rejects.toMatchObject({
      code: 'not_found',
      message: 'Commit `c0ffeec0ffee` holds no readable .mesh/team/ada.md.',
    });
  });
});
