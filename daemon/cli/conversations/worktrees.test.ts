import { expect, it } from 'vitest';
import type { Worktree, WorktreeList, WorktreeRemoved } from '../../contract/work/worktrees.js';
import { meshd } from '../../testing/processes/command-line.js';
import { standInDaemon } from '../../testing/processes/daemon-stand-in.js';

const TREE: Worktree = {
  conv: 'conv-1',
  title: 'The lamp',
  member: 'developer',
  path: '/trees/one',
  branch: null,
  base: 'abcd',
  base_branch: 'main',
  disk_bytes: 1_500,
  changed_files: 3,
  repositories: [],
  running: true,
  created_at: '2026-11-28T08:00:00.000Z',
  used_at: '2026-11-28T09:30:00.000Z',
};

it('lists the worktrees with the size of each and of all', async () => {
  const worktrees = [TREE, { ...TREE, conv: 'conv-2', branch: 'meshd/two', path: '/trees/two', running: false }];
  const list: WorktreeList = { worktrees, count: 2, disk_bytes: 3_000, folder: '/trees', problem: null };
  const { root } = await standInDaemon({ 'GET /worktrees': list });
  expect(await meshd(root, 'worktrees', 'ls')).toEqual({
    exit: 0,
    out: [
      'CONVERSATION  BRANCH     CHANGED  SIZE  USED (UTC)           FOLDER',
      'conv-1                   3        2 kB  running              /trees/one',
      'conv-2        meshd/two  3        2 kB  2026-11-28 09:30:00  /trees/two\n',
    ].join('\n'),
    err: '3 kB in all.\n',
  });
});

it('says that there are none, and why none can be made', async () => {
  const list: WorktreeList = { worktrees: [], count: 0, disk_bytes: 0, folder: null, problem: 'git is too old.' };
  const { root } = await standInDaemon({ 'GET /worktrees': list });
  expect(await meshd(root, 'worktrees', 'ls')).toEqual({
    exit: 0,
    out: '',
    err: 'No worktree can be made at present: git is too old.\nNo worktrees.\n',
  });
});

it.each([
  [[], '', null, 'Removed the worktree of conv-1.\n'],
  [
    ['--discard'],
    '?changes=discard',
    'refs/meshd/conv-1/kept',
    'Removed the worktree of conv-1. Its changes are kept at refs/meshd/conv-1/kept.\n',
  ],
])('removes one with %j, and says where its changes are kept', async (options, query, kept, out) => {
  const removed: WorktreeRemoved = { conv: 'conv-1', changed_files: 1, kept };
  const { root, asked } = await standInDaemon({ 'DELETE /conversations/conv-1/worktree': removed });
  expect(await meshd(root, 'worktrees', 'rm', 'conv-1', ...options)).toEqual({ exit: 0, out, err: '' });
  expect(asked.map(({ line }) => line)).toEqual([`DELETE /conversations/conv-1/worktree${query}`]);
});

const NOW = { isolation_default: 'project', worktrees: { copy: ['.env'], link: ['lib'], setup: 'npm ci' } };

it.each([
  [['--default', 'worktree'], { isolation_default: 'worktree' }],
  [['--copy', 'a', 'b'], { worktrees: { ...NOW.worktrees, copy: ['a', 'b'] } }],
  [['--no-copy'], { worktrees: { ...NOW.worktrees, copy: [] } }],
  [['--no-link'], { worktrees: { ...NOW.worktrees, link: [] } }],
  [['--link', 'x'], { worktrees: { ...NOW.worktrees, link: ['x'] } }],
  [['--no-setup'], { worktrees: { ...NOW.worktrees, setup: '' } }],
  [['--setup', 'make'], { worktrees: { ...NOW.worktrees, setup: 'make' } }],
])('changes with %j only what it names', async (options, body) => {
  const { root, asked } = await standInDaemon({ 'GET /preferences': NOW, 'PATCH /preferences': NOW });
  expect((await meshd(root, 'worktrees', 'settings', ...options)).exit).toBe(0);
  expect(asked.at(-1)).toEqual({ line: 'PATCH /preferences', body });
});

it('shows the settings without an option, and changes none', async () => {
  const { root, asked } = await standInDaemon({ 'GET /preferences': NOW });
  expect((await meshd(root, 'worktrees', 'settings')).out).toBe(
    'Default  project\nCopied   .env\nLinked   lib\nSet-up   npm ci\n',
  );
  const empty = { isolation_default: 'project', worktrees: { copy: [], link: [], setup: '' } };
  const other = await standInDaemon({ 'GET /preferences': empty });
  expect((await meshd(other.root, 'worktrees', 'settings')).out).toBe(
    'Default  project\nCopied   nothing\nLinked   nothing\nSet-up   none\n',
  );
  expect(asked.map(({ line }) => line)).toEqual(['GET /preferences']);
});
