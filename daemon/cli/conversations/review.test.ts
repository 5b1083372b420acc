import { expect, it } from 'vitest';
import type { Review, ReviewComment } from '../../contract/work/reviews.js';
import { meshd } from '../../testing/processes/command-line.js';
import { standInDaemon } from '../../testing/processes/daemon-stand-in.js';

const COMMENT: ReviewComment = {
  comment: 'rev-1',
  conv: 'conv-1',
  path: 'src/dusk.ts',
  side: null,
  start_line: null,
  end_line: null,
  quote: '',
  text: 'Name the unit.',
  state: 'draft',
  author: null,
  turn: null,
  created_at: '',
  updated_at: '',
};
const REVIEW: Review = {
  conv: 'conv-1',
  comments: [
    COMMENT,
    { ...COMMENT, comment: 'rev-2', side: 'new', start_line: 3, end_line: 3, author: 'ui-reviewer' },
    { ...COMMENT, comment: 'rev-3', side: 'old', start_line: 3, end_line: 5, state: 'sent' },
  ],
  drafts: 2,
  reviewers: [{ id: 'ui-reviewer', name: 'UI' }],
  asked: [
    { conv: 'conv-9', member: 'ui-reviewer', state: 'failed', reason: 'The client failed' },
    { conv: 'conv-8', member: 'commit-pr-reviewer', state: 'done', reason: null },
  ],
};

it('lists where each comment is and who wrote it, and the members that were asked', async () => {
  const { root } = await standInDaemon({ 'GET /conversations/conv-1/review': REVIEW });
  expect(await meshd(root, 'review', 'ls', 'conv-1')).toEqual({
    exit: 0,
    out: [
      'COMMENT  STATE  BY           WHERE                                TEXT',
      'rev-1    draft  you          src/dusk.ts                          Name the unit.',
      'rev-2    draft  ui-reviewer  src/dusk.ts:3                        Name the unit.',
      'rev-3    sent   you          src/dusk.ts:3-5 (before the change)  Name the unit.\n',
    ].join('\n'),
    err: [
      'Send the drafts (2) with `meshd review send conv-1`.',
      'ui-reviewer was asked in conv-9: failed. The client failed',
      'commit-pr-reviewer was asked in conv-8: done\n',
    ].join('\n'),
  });
});

it('offers to ask a reviewer while none was asked', async () => {
  const { root } = await standInDaemon({
    'GET /conversations/conv-1/review': { ...REVIEW, comments: [], drafts: 0, asked: [] },
  });
  expect(await meshd(root, 'review', 'ls', 'conv-1')).toEqual({
    exit: 0,
    out: '',
    err: 'No comments.\nAsk for a review with `meshd review ask conv-1 ui-reviewer`.\n',
  });
});

it.each([
  [[], {}],
  [['--lines', '7'], { side: 'new', start_line: 7, end_line: 7 }],
  [['--lines', '3-5'], { side: 'new', start_line: 3, end_line: 5 }],
  [['--lines', '3-5', '--old'], { side: 'old', start_line: 3, end_line: 5 }],
])('drafts a comment with %j on these lines', async (options, place) => {
  const { root, asked } = await standInDaemon({ 'POST /conversations/conv-1/review/comments': COMMENT });
  const { exit, out } = await meshd(root, 'review', 'comment', 'conv-1', 'a.ts', 'Why?', ...options);
  expect([exit, out]).toEqual([0, 'Drafted rev-1 on src/dusk.ts.\n']);
  expect(asked.map(({ body }) => body)).toEqual([{ path: 'a.ts', text: 'Why?', ...place }]);
});

it.each([
  [['--old'], '--old needs --lines.'],
  [['--lines', '0'], '--lines 0: give a line or a range'],
  [['--lines', '3-'], '--lines 3-: give a line or a range'],
  [['--lines', 'x3'], '--lines x3: give a line or a range'],
])('refuses %j', async (options, message) => {
  const { root, asked } = await standInDaemon({});
  expect(await meshd(root, 'review', 'comment', 'conv-1', 'a.ts', 'Why?', ...options)).toEqual({
    exit: 2,
    out: '',
    err: expect.stringContaining(message),
  });
  expect(asked).toEqual([]);
});

it('sends the drafts with the text before them, and says whether they wait', async () => {
  const answers = [
    { turn: 'turn-1', queued: true },
    { turn: 'turn-2', queued: false },
  ];
  const { root, asked } = await standInDaemon({
    'POST /conversations/conv-1/review/send': () => answers.shift() ?? {},
  });
  const send = (...options: string[]) => meshd(root, 'review', 'send', 'conv-1', ...options);
  expect((await send('--text', 'Please.')).out).toBe('Sent as turn-1, queued behind the running turn.\n');
  expect((await send()).out).toBe('Sent as turn-2.\n');
  expect(asked.map(({ body }) => body)).toEqual([{ text: 'Please.' }, {}]);
});

it('names the newest review after a member was asked', async () => {
  const { root, asked } = await standInDaemon({ 'POST /conversations/conv-1/review/ask': REVIEW });
  expect((await meshd(root, 'review', 'ask', 'conv-1', 'ui-reviewer')).out).toBe('Asked ui-reviewer in conv-9.\n');
  expect(asked[0]?.body).toEqual({ member: 'ui-reviewer' });
});
