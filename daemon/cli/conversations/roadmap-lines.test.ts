import { expect, it } from 'vitest';
import type { Roadmap, RoadmapTask, TaskPatch } from '../../contract/work/roadmap.js';
import { meshd } from '../../testing/processes/command-line.js';
import { standInDaemon } from '../../testing/processes/daemon-stand-in.js';

const TASK: RoadmapTask = {
  id: 'angle',
  text: 'set the angle',
  member: 'developer',
  state: 'running',
  reason: null,
  after: [],
  waits_for: [],
  check: null,
  line: 3,
  heading: null,
  conv: 'conv-1',
  step: 'working',
  attempt: 1,
};
const OPEN = { state: 'open', member: null, conv: null, step: null, attempt: null } as const;
const ROADMAP: Roadmap = {
  path: '.mesh/roadmap.md',
  tasks: [
    TASK,
    { ...TASK, id: 'test', step: 'checking', attempt: 2, check: 'command test' },
    { ...TASK, ...OPEN, id: 'docs', after: ['angle', 'quay'], waits_for: ['angle'] },
    { ...TASK, ...OPEN, id: 'next', after: ['quay'] },
    { ...TASK, ...OPEN, id: 'sign', state: 'blocked', reason: 'waits for paint' },
  ],
  running: true,
  limit: 2,
  conv: null,
  problem: 'Line 9 is no task.',
  problems: ['Line 9 is no task.', 'Line 12 names nobody.'],
};
const PROBLEMS = '.mesh/roadmap.md: Line 9 is no task.\n.mesh/roadmap.md: Line 12 names nobody.\n';

it('lists of each task its step, what it waits for, its check and why it is blocked', async () => {
  const { root } = await standInDaemon({ 'GET /roadmap': ROADMAP });
  expect(await meshd(root, 'roadmap', 'ls')).toEqual({
    exit: 0,
    out: [
      'TASK   STATE                         MEMBER     CONVERSATION  WHAT',
      'angle  running                       developer  conv-1        set the angle',
      'test   running, checking, attempt 2  developer  conv-1        set the angle [check: command test]',
      'docs   open                                                   set the angle [waits for angle]',
      'next   open                                                   set the angle [after quay]',
      'sign   blocked                                                set the angle (waits for paint)\n',
    ].join('\n'),
    err: `${PROBLEMS}Tasks are running, 2 in parallel: \`meshd roadmap stop\`.\n`,
  });
});

it.each([
  [ROADMAP, 'Running, 2 in parallel. In progress: angle, test.\n'],
  [{ ...ROADMAP, tasks: [] }, 'Running, 2 in parallel. In progress: none.\n'],
  [{ ...ROADMAP, running: false }, 'No task is open.\n'],
])('says what runs, and what of the file cannot be read', async (view, out) => {
  const { root, asked } = await standInDaemon({ 'POST /roadmap/run': view });
  expect(await meshd(root, 'roadmap', 'run')).toEqual({ exit: 0, out, err: PROBLEMS });
  await meshd(root, 'roadmap', 'run', '--limit', '3');
  expect(asked.map(({ body }) => body)).toEqual([{}, { limit: 3 }]);
});

it.each<[string[], TaskPatch]>([
  [['--state', 'done'], { state: 'done' }],
  [['--text', 'set it anew'], { text: 'set it anew' }],
  [['--member', 'ada'], { member: 'ada' }],
  [['--no-member'], { member: null }],
  [['--after', 'quay, docs  sign,'], { after: ['quay', 'docs', 'sign'] }],
  [['--after', ''], { after: [] }],
  [['--check', 'command test'], { check: 'command test' }],
  [['--no-check'], { check: null }],
])('sets with %j only that', async (options, patch) => {
  const { root, asked } = await standInDaemon({ 'PATCH /roadmap/angle': ROADMAP });
  expect(await meshd(root, 'roadmap', 'set', 'angle', ...options)).toEqual({
    exit: 0,
    out: 'angle  running  developer  conv-1  set the angle\n',
    err: '',
  });
  expect(asked.map(({ body }) => body)).toEqual([patch]);
});

it('says that a reason was left out, and what it must be told to change', async () => {
  const { root, asked } = await standInDaemon({ 'PATCH /roadmap/angle': ROADMAP });
  expect((await meshd(root, 'roadmap', 'set', 'angle', '--reason', 'late')).err).toBe(
    'Only a blocked task keeps a reason: it was left out.\n',
  );
  expect(await meshd(root, 'roadmap', 'set', 'angle')).toEqual({
    exit: 2,
    out: '',
    err: expect.stringContaining('Say what to change: --state, --reason, --text'),
  });
  expect(asked).toHaveLength(1);
});
