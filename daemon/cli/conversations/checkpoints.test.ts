import { expect, it } from 'vitest';
import type {
  ChangedFile,
  Changes,
  Checkpoint,
  CheckpointList,
  FileDiff,
  Rewound,
} from '../../contract/work/changes.js';
import { atTerminal, meshd, meshdIn } from '../../testing/processes/command-line.js';
import { type Asked, standInDaemon } from '../../testing/processes/daemon-stand-in.js';

const FILE: ChangedFile = {
  path: 'a.ts',
  old_path: null,
  status: 'modified',
  additions: 1,
  deletions: 2,
  binary: false,
  generated: false,
};
const FILES: ChangedFile[] = [
  FILE,
  { ...FILE, path: 'b.ts', old_path: 'old.ts', status: 'renamed', additions: 0, deletions: 0 },
  { ...FILE, path: 'lamp.png', status: 'added', additions: 0, deletions: 0, binary: true },
];
const CHANGES: Changes = {
  conv: 'conv-1',
  from: 'start',
  to: 'turn-1',
  files: FILES,
  count: 4,
  left_out: 1,
  additions: 1,
  deletions: 2,
  problem: null,
};

const diffOf = ({ line }: Asked): FileDiff => {
  const path = new URL(line.split(' ')[1] ?? '', 'http://x').searchParams.get('path');
  const file = FILES.find((one) => one.path === path) ?? FILE;
  const patch = path === 'a.ts' ? '@@ -1,2 +1 @@\n-one\n-two\n+three\n' : '';
  return { file, from: 'start', to: 'turn-1', patch, cut: path === 'a.ts' };
};
const changed = (changes: Partial<Changes> = {}) =>
  standInDaemon({
    'GET /conversations/conv-1/changes': { ...CHANGES, ...changes },
    'GET /conversations/conv-1/changes/file': diffOf,
  });

it('prints the diff of each changed file between the two states', async () => {
  const { root, asked } = await changed();
  expect(await meshd(root, 'changes', 'conv-1', '--from', 'start', '--to', 'turn-1')).toEqual({
    exit: 0,
    out: [
      ...['modified a.ts', '@@ -1,2 +1 @@', '-one', '-two', '+three'],
      ...['renamed old.ts → b.ts', 'added lamp.png', 'A binary file.\n'],
    ].join('\n'),
    err: 'The rest of this file is not shown.\n4 files, +1 -2.\n1 more are not listed.\n',
  });
  expect(asked.map(({ line }) => line.slice('GET /conversations/conv-1'.length))).toEqual([
    '/changes?from=start&to=turn-1',
    '/changes/file?path=a.ts&from=start&to=turn-1',
    '/changes/file?path=b.ts&from=start&to=turn-1',
    '/changes/file?path=lamp.png&from=start&to=turn-1',
  ]);
});

it('colours what was added and removed', async () => {
  const { root } = await changed({ files: [FILE], count: 1, left_out: 0 });
  const { out, err } = await meshdIn(root, { isColourful: true }, 'changes', 'conv-1');
  expect(out).toContain('\u001b[31m-one\u001b[39m\n');
  expect(out).toContain('\u001b[32m+three\u001b[39m\n');
  expect(err).toContain('1 file, +1 -2.\n');
});

it('lists only the files with --stat, and says why there are none', async () => {
  const { root, asked } = await changed({ files: [FILE], count: 1, left_out: 0 });
  expect(await meshd(root, 'changes', 'conv-1', '--stat')).toEqual({
    exit: 0,
    out: 'CHANGE    ADDED  REMOVED  FILE\nmodified  +1     -2       a.ts\n',
    err: '1 file, +1 -2.\n',
  });
  expect(asked.map(({ line }) => line)).toEqual(['GET /conversations/conv-1/changes?from=base&to=working']);
  const none = await changed({ files: [], count: 0, problem: 'Without git nothing is compared.' });
  expect(await meshd(none.root, 'changes', 'conv-1')).toEqual({
    exit: 0,
    out: '',
    err: 'Without git nothing is compared.\n',
  });
});

const CHECKPOINT: Checkpoint = {
  checkpoint: 'turn-1',
  kind: 'turn',
  turn: 'turn-1',
  commit: '0123456789abcdef',
  files: 2,
  additions: 5,
  deletions: 1,
  left_out: ['.env', 'big.bin'],
  others: [],
  created_at: '2026-11-28T09:30:00.000Z',
};

it('lists the checkpoints, and each file that they do not keep once', async () => {
  const checkpoints = [
    CHECKPOINT,
    { ...CHECKPOINT, checkpoint: 'kept-1', kind: 'rewind' as const, left_out: ['.env'] },
  ];
  const list: CheckpointList = { conv: 'conv-1', checkpoints, count: 2, problem: 'No more can be made.' };
  const { root } = await standInDaemon({ 'GET /conversations/conv-1/checkpoints': list });
  expect(await meshd(root, 'checkpoints', 'conv-1')).toEqual({
    exit: 0,
    out: [
      'CHECKPOINT  KIND    MADE (UTC)           FILES  LINES  COMMIT',
      'turn-1      turn    2026-11-28 09:30:00  2      +5 -1  0123456789ab',
      'kept-1      rewind  2026-11-28 09:30:00  2      +5 -1  0123456789ab\n',
    ].join('\n'),
    err: 'No more can be made.\nNot kept: .env, big.bin\n',
  });
});

const REWOUND: Rewound = { conv: 'conv-1', kept: CHECKPOINT, files: 1, skipped: [], messages: 2 };

it.each([
  [[], 'both', ''],
  [['--files'], 'files', ' --files'],
  [['--conversation'], 'conversation', ' --conversation'],
])('takes back with %j what it names, and says how to undo exactly that', async (options, what, part) => {
  const { root, asked } = await standInDaemon({ 'POST /conversations/conv-1/rewind': REWOUND });
  expect(await meshd(root, 'rewind', 'conv-1', 'start', '--yes', ...options)).toEqual({
    exit: 0,
    out: 'Put back 1 file and set aside 2 messages.\n',
    err: `Undo it with \`meshd rewind conv-1 turn-1${part}\`.\n`,
  });
  expect(asked.map(({ body }) => body)).toEqual([{ checkpoint: 'start', what }]);
});

it('names the files that a rewind left, and no undo when nothing was kept', async () => {
  const rewound = { ...REWOUND, kept: null, skipped: ['build'], files: 0, messages: 1 };
  const { root } = await standInDaemon({ 'POST /conversations/conv-1/rewind': rewound });
  expect(await meshd(root, 'rewind', 'conv-1', 'start', '--yes')).toEqual({
    exit: 0,
    out: 'Put back 0 files and set aside 1 message.\n',
    err: 'Left as they are: build\n',
  });
});

it.each([
  [[], 'the files and the messages'],
  [['--files'], 'the files'],
  [['--conversation'], 'the messages'],
])('asks before a rewind with %j, and changes nothing without a yes', async (options, named) => {
  const { root, asked } = await standInDaemon({});
  const session = atTerminal(root, 'rewind', 'conv-1', 'start', ...options);
  await session.until('err', /\[y\/N\]/);
  session.type('\r');
  expect(await session.exit).toBe(1);
  expect(session.err).toContain(`Take ${named} back to start?`);
  expect(session.err).toContain('Nothing was changed.');
  expect(asked).toEqual([]);
});

it('takes a rewind of the files or of the messages, not both', async () => {
  const { root } = await standInDaemon({});
  expect(await meshd(root, 'rewind', 'conv-1', 'start', '--files', '--conversation')).toMatchObject({ exit: 2 });
});
