import { expect, it } from 'vitest';
import type { Merged, MergePreview, NewMerge } from '../../contract/work/reviews.js';
import { atTerminal, meshd } from '../../testing/processes/command-line.js';
import { standInDaemon } from '../../testing/processes/daemon-stand-in.js';

const PREVIEW: MergePreview = {
  conv: 'conv-1',
  into: 'main',
  branches: ['main'],
  head: 'abcd',
  ahead: 2,
  behind: 5,
  files: 3,
  conflicts: [],
  methods: ['fast_forward', 'squash'],
  overlaps: [{ conv: 'conv-2', title: 'The quay', paths: ['a.ts', 'b.ts'] }],
  checked_out: false,
  problem: null,
  pull_request: null,
};
const MERGED: Merged = {
  conv: 'conv-1',
  into: 'main',
  method: 'squash',
  before: 'abcd',
  commit: '0123456789abcdef',
  undo: 'git reset --keep abcd',
};

const repository = (preview: Partial<MergePreview> = {}) =>
  standInDaemon({
    'GET /conversations/conv-1/merge': { ...PREVIEW, ...preview },
    'POST /conversations/conv-1/merge': MERGED,
  });
const sent = { into: 'main', head: 'abcd' };

it('shows what a merge would do, and does nothing with --dry-run', async () => {
  const { root, asked } = await repository();
  expect(await meshd(root, 'merge', 'conv-1', '--into', 'main', '--dry-run')).toEqual({
    exit: 0,
    out: [
      'Into     main',
      'Commits  2 to merge, 5 of the branch since',
      'Files    3',
      'Methods  fast_forward, squash\n',
    ].join('\n'),
    err: 'conv-2, "The quay", changed the same lines of a.ts, b.ts.\n',
  });
  expect(asked).toEqual([{ line: 'GET /conversations/conv-1/merge?into=main', body: undefined }]);
  const none = await repository({ into: '', methods: [], conflicts: ['a.ts'], problem: 'There is no branch.' });
  expect(await meshd(none.root, 'merge', 'conv-1', '--dry-run')).toEqual({
    exit: 0,
    out: expect.stringMatching(/^Into {5}no branch\n[\s\S]*\nMethods {2}none\n$/),
    err: expect.stringMatching(/^Conflict: a\.ts\n.*\nThere is no branch\.\n$/),
  });
});

it.each<[string[], Partial<MergePreview>, NewMerge]>([
  [[], {}, { ...sent, method: 'squash' }],
  [['--method', 'fast_forward'], {}, { ...sent, method: 'fast_forward' }],
  [['--message', 'Set the angle'], {}, { ...sent, method: 'squash', message: 'Set the angle' }],
  [[], { methods: ['rebase', 'merge'] }, { ...sent, method: 'rebase' }],
])('merges with %j as the preview allows', async (options, preview, body) => {
  const { root, asked } = await repository(preview);
  expect(await meshd(root, 'merge', 'conv-1', '--yes', ...options)).toEqual({
    exit: 0,
    out: `Merged into main as 0123456789ab by ${body.method}.\n`,
    err: 'To take it back: git reset --keep abcd\n',
  });
  expect(asked.at(-1)).toEqual({ line: 'POST /conversations/conv-1/merge', body });
});

it.each([
  [{ conflicts: ['a.ts'] }, 'There are conflicts with main in 1 file: the member can resolve them'],
  [{ conflicts: ['a.ts', 'b.ts'] }, 'There are conflicts with main in 2 files: the member can resolve them'],
  [{ problem: 'The project folder has changes.' }, 'The project folder has changes.'],
  [{}, 'It cannot be merged now.'],
])('exits with 6 when no method is possible (%j)', async (preview, message) => {
  const { root, asked } = await repository({ methods: [], ...preview });
  expect(await meshd(root, 'merge', 'conv-1', '--yes')).toEqual({
    exit: 6,
    out: '',
    err: expect.stringContaining(message),
  });
  expect(asked).toHaveLength(1);
});

it('asks first, and merges nothing without a yes', async () => {
  const { root, asked } = await repository();
  const session = atTerminal(root, 'merge', 'conv-1');
  await session.until('err', /Merge into main by squash\? \[y\/N\]/);
  session.type('n\r');
  expect(await session.exit).toBe(1);
  expect(session.err).toContain('Nothing was merged.');
  expect(asked).toHaveLength(1);
});
