import { describe, expect, it } from 'vitest';
import type { Conversation, Message, MessageList, Permission, Turn } from '../../contract/conversations.js';
import { aDesk } from '../../testing/command-cases/command-case.js';
import { atTerminal, meshd } from '../../testing/processes/command-line.js';
import { type Asked, standInDaemon } from '../../testing/processes/daemon-stand-in.js';

const CONV: Conversation = {
  conv: 'conv-1',
  member: 'developer',
  agent_type: 'custom',
  title: 'The lamp',
  client: null,
  model: null,
  effort: null,
  client_resolved: 'acp',
  model_resolved: 'large',
  effort_resolved: 'high',
  isolation: { chosen: null, resolved: 'project', reason: '', fixed: true, branch: 'meshd/lamp' },
  folder: '/lamp',
  problem: 'It has no tools.',
  blocked: false,
  pinned: true,
  archived: true,
  member_gone: false,
  from_outside: false,
  parent: { conv: 'conv-0', turn: 'turn-0', member: 'architect', title: 'The plan' },
  schedule: null,
  running: null,
  queued: 0,
  permissions: [],
  last_outcome: 'failed',
  messages: 1,
  unread: 0,
  preview: '',
  created_at: '2026-11-28T08:00:00.000Z',
  updated_at: '2026-11-28T09:30:00.000Z',
};
const MESSAGE: Message = {
  id: 'msg-1',
  conv: 'conv-1',
  turn: 'turn-1',
  role: 'user',
  text: 'Set it',
  calls: [],
  citations: [],
  dropped_citations: 0,
  context_docs: [],
  from_outside: false,
  created_at: '2026-11-28T09:00:00.000Z',
};
const TURN: Turn = {
  turn: 'turn-1',
  conv: 'conv-1',
  state: 'ended',
  outcome: 'failed',
  code: 'client_failed',
  reason: 'It is away.',
  client: 'acp',
  model: 'large',
  effort: 'high',
  usage: null,
  created_at: '',
  started_at: null,
  finished_at: null,
};
const CALLS = [
  { id: 'c1', name: 'Read', target: 'a.ts', state: 'done' as const },
  { id: 'c2', name: 'Edit', target: 'a.ts', state: 'failed' as const },
];
const LIST: MessageList = {
  messages: [
    { ...MESSAGE, asked_by: 'architect' },
    { ...MESSAGE, id: 'msg-2', role: 'assistant', text: 'Half.', calls: CALLS },
    { ...MESSAGE, id: 'msg-3', turn: 'turn-2', from_outside: true },
    { ...MESSAGE, id: 'msg-4', turn: 'turn-3' },
  ],
  turns: [TURN, { ...TURN, turn: 'turn-3', outcome: 'answered', code: null, reason: null }],
  live: { turn: 'turn-4', text: 'So far', next_index: 1, calls: [{ ...CALLS[0], state: 'running' }] },
  has_more: true,
} as MessageList;

describe('meshd conversations show', () => {
  it('prints what it runs on, who asked whom, each message with its author, and how each turn ended', async () => {
    const { root } = await standInDaemon({
      'GET /conversations/conv-1': CONV,
      'GET /conversations/conv-1/messages': LIST,
      'GET /conversations': { conversations: [{ ...CONV, conv: 'conv-2', member: null }], count: 1, next_cursor: null },
    });
    expect(await meshd(root, 'conversations', 'show', 'conv-1')).toEqual({
      exit: 0,
      out: [
        'Conversation  conv-1',
        'Title         The lamp',
        'Member        developer',
        'Runs on       acp, large, high',
        'Works in      /lamp',
        'Branch        meshd/lamp',
        'State         pinned, archived, failed',
        'Problem       It has no tools.',
        'Asked by      conv-0, architect, The plan',
        'Asked         conv-2, The lamp',
        '',
        'architect, 2026-11-28 09:00:00 UTC',
        'Set it',
        '',
        'developer, 2026-11-28 09:00:00 UTC',
        '· Read a.ts',
        '✗ Edit a.ts',
        'Half.',
        'failed: It is away. (client_failed)',
        '',
        'A program, 2026-11-28 09:00:00 UTC',
        'Set it',
        '',
        'You, 2026-11-28 09:00:00 UTC',
        'Set it',
        '',
        'developer, now',
        '· Read a.ts',
        'So far…\n',
      ].join('\n'),
      err: 'There are older messages: `meshd conversations export conv-1`.\n',
    });
  });

  it.each([
    [[], 50],
    [['--limit', '4'], 4],
    [['--limit', '1000'], 200],
  ])('asks with %j for %i messages, and for what it asked', async (options, limit) => {
    const { root, asked } = await standInDaemon({
      'GET /conversations/conv-1': CONV,
      'GET /conversations/conv-1/messages': { ...LIST, messages: [], live: null, has_more: false },
      'GET /conversations': { conversations: [], count: 0, next_cursor: null },
    });
    expect(await meshd(root, 'conversations', 'show', 'conv-1', ...options)).toMatchObject({ exit: 0, err: '' });
    expect(asked.map(({ line }) => line)).toEqual([
      'GET /conversations/conv-1',
      `GET /conversations/conv-1/messages?limit=${limit}`,
      'GET /conversations?parent=conv-1&limit=50',
    ]);
  });

  it('ends with the questions that wait, and how to answer each', async () => {
    const question = { pid: 'perm-1', tool: 'Bash', target: 'make', reason: '', expires_at: '', detail: null };
    const { root } = await standInDaemon({
      'GET /conversations/conv-1': { ...CONV, permissions: [question as unknown as Permission] },
      'GET /conversations/conv-1/messages': { ...LIST, messages: [], live: null, has_more: false },
      'GET /conversations': { conversations: [], count: 0, next_cursor: null },
    });
    expect((await meshd(root, 'conversations', 'show', 'conv-1')).err).toBe(
      '? developer asks to use Bash make\n    meshd inbox allow|always|deny perm-1\n',
    );
  });
});

describe('meshd conversations ls', () => {
  const OWN: Conversation = { ...CONV, conv: 'conv-2', parent: null, member: null, queued: 1, last_outcome: null };
  const found = (...conversations: Conversation[]) =>
    standInDaemon({
      'GET /conversations': ({ line }: Asked) =>
        line.includes('cursor')
          ? { conversations: [], count: 0, next_cursor: null }
          : { conversations, count: conversations.length, next_cursor: 'c1' },
    });

  it('has a column for who asked when a member asked one of them', async () => {
    const { root } = await found(CONV, OWN);
    expect(await meshd(root, 'conversations', 'ls', '--limit', '2')).toEqual({
      exit: 0,
      out: [
        'CONVERSATION  CHANGED (UTC)        MEMBER     STATE      ASKED BY           TITLE',
        'conv-1        2026-11-28 09:30:00  developer  failed     conv-0, architect  The lamp',
        'conv-2        2026-11-28 09:30:00             1 waiting                     The lamp\n',
      ].join('\n'),
      err: 'There are more: --limit 4.\n',
    });
    const own = await found(OWN);
    expect((await meshd(own.root, 'conversations', 'ls')).out).toMatch(/^CONVERSATION.*MEMBER {2}STATE {6}TITLE\n/);
  });

  it.each([
    [['--member', 'ada'], 'limit=50&member=ada'],
    [['--asked-by', 'conv-0', '--limit', '7'], 'limit=7&parent=conv-0'],
    [['--archived', '--search', 'the lamp'], 'limit=50&q=the+lamp&archived=true'],
  ])('asks with %j for these alone', async (options, query) => {
    const { root, asked } = await found();
    expect(await meshd(root, 'conversations', 'ls', ...options)).toEqual({
      exit: 0,
      out: '',
      err: 'No conversations.\n',
    });
    expect(asked[0]?.line).toBe(`GET /conversations?${query}`);
  });
});

it.each([
  ['Then run it', undefined, 'Then run it', false, 'turn-1 has begun.\n'],
  ['-', '  from a file\n', 'from a file', true, 'turn-1 queued behind the running turn.\n'],
])('says %j with stdin %j as "%s"', async (given, stdin, text, queued, out) => {
  const { root, asked } = await standInDaemon({ 'POST /conversations/conv-1/messages': { turn: 'turn-1', queued } });
  const said = await aDesk(root).meshd(['conversations', 'say', 'conv-1', given], stdin);
  expect(said).toEqual({ exit: 0, out, err: '' });
  expect(asked.map(({ body }) => body)).toEqual([{ text }]);
});

it.each(['', '-'])('says nothing without a text (%j)', async (given) => {
  const { root, asked } = await standInDaemon({});
  const said = await aDesk(root).meshd(['conversations', 'say', 'conv-1', given], ' \n');
  expect([said.exit, said.err]).toEqual([2, expect.stringContaining('The text is empty')]);
  expect(asked).toEqual([]);
});

it('says what of a removed conversation stays, after a question that counts its messages', async () => {
  const { root } = await standInDaemon({
    'GET /conversations/conv-1': CONV,
    'DELETE /conversations/conv-1': { ok: true, deleted: 'conv-1', left: '/trees/one' },
  });
  const session = atTerminal(root, 'conversations', 'rm', 'conv-1');
  await session.until('err', /Remove "The lamp" with its 1 message\? \[y\/N\]/);
  session.type('y\r');
  expect(await session.exit).toBe(0);
  expect(session.out).toBe('Removed conv-1.\n');
  expect(session.err).toContain('/trees/one stays');
  expect(session.err).toContain('`meshd worktrees rm conv-1 --discard`');
});

it.each([
  [1, 'Dropped 1 message from the queue.\n'],
  [2, 'Dropped 2 messages from the queue.\n'],
])('counts %i dropped', async (count, out) => {
  const { root } = await standInDaemon({ 'DELETE /conversations/conv-1/queue': { conv: 'conv-1', turns: [], count } });
  expect((await meshd(root, 'conversations', 'drop', 'conv-1')).out).toBe(out);
});
