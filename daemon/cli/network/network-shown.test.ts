import { expect, it } from 'vitest';
import { meshd } from '../../testing/processes/command-line.js';
import { cellsOf, scriptedDaemon } from '../../testing/processes/scripted-daemon.js';

const STATUS = {
  ...{ state: 'following', network: 'docks', url: 'tls://a:4222', daemon: 'd', sequence: 7, lag: 0, replicas: 1 },
  server: { name: 's', version: '2.14.3', address: 'a:4222' },
  ...{ fsync: null, promise: null, problem: null, refused: 0, refusals: [] as object[] },
  frames: { sent: 5, received: 6, dropped: [] as object[] },
};
const refusal = (message: string) => ({ sequence: 1, reason: 'forged', message, key: null });

it.each([
  [{}, 0, 'up to date', 'change 7, none to come', 'none', []],
  [{ state: 'catching_up', lag: 2 }, 0, 'catching up', 'change 7, 2 to come', 'none', []],
  [
    { state: 'connecting', lag: null, promise: 'It survives.' },
    0,
    'no connection; shared changes are refused, reading goes on',
    'change 7; how many follow is not known',
    'none',
    [['Promise', 'It survives.']],
  ],
  [
    { state: 'stopped', problem: 'Cut off.', refused: 3, refusals: [refusal('the new'), refusal('the old')] },
    1,
    'stopped',
    'change 7, none to come',
    'none',
    [
      ['Problem', 'Cut off.'],
      ['Refused', '3; the newest: the new'],
    ],
  ],
  [
    {
      frames: {
        ...STATUS.frames,
        dropped: [
          { reason: 'late', count: 2 },
          { reason: 'large', count: 1 },
        ],
      },
    },
    0,
    'up to date',
    'change 7, none to come',
    '2 late, 1 large',
    [],
  ],
])('network status of %j', async (more, exit, state, applied, dropped, rows) => {
  const { root } = await scriptedDaemon({ 'GET /network': { ...STATUS, ...more } });
  const shown = await meshd(root, 'network', 'status');
  expect([shown.exit, shown.err]).toEqual([exit, '']);
  expect(cellsOf(shown.out)).toEqual([
    ['Network', 'docks'],
    ['State', state],
    ['Servers', 'tls://a:4222'],
    ['Connected to', 'a:4222, nats-server 2.14.3'],
    ['Applied', applied],
    ['Wall', `5 messages sent, 6 received, dropped: ${dropped}`],
    ...rows,
  ]);
});

it.each([
  [['create', 'nats://a'], 'POST', { url: 'nats://a', network: 'team' }],
  [['create', 'nats://a', '--network', 'x', '--name', 'Quay'], 'POST', { url: 'nats://a', network: 'x', name: 'Quay' }],
  [['join', 'nats://a'], 'PUT', { url: 'nats://a' }],
  [['join', 'nats://a', '--network', 'x'], 'PUT', { url: 'nats://a', network: 'x' }],
])('network %j sends %s %j', async (args, method, body) => {
  const { root, sent } = await scriptedDaemon({ [`${method} /network`]: STATUS });
  await meshd(root, 'network', ...args);
  expect(sent).toEqual([[`${method} /network`, body]]);
});

const agent = (ref: string, more: object) => ({ ref, self: false, description: 'Helps.', problem: null, ...more });
const AGENTS = [
  agent('Quay/a', { self: true, problem: 'not shown to its owner' }),
  agent('Pier/b', {}),
  agent('Pier/c', { price: { amount: 5, currency: 'USD', unit: 'request' }, problem: 'Its key changed.' }),
];

it('network members prints who is there, and price or problem of each shared member', async () => {
  const member = (name: string, more: object) => ({
    ...{ id: 'abcdefghijkl', name, present: true, self: false, left_at: null, ...more },
  });
  const members = [
    member('Quay', { self: true }),
    member('', { present: false }),
    member('Reef', { left_at: '2026-11-20T00:00:00Z' }),
  ];
  const { root } = await scriptedDaemon({
    'GET /network/members': { members, count: 3 },
    'GET /network/agents': { agents: AGENTS },
  });
  expect(cellsOf((await meshd(root, 'network', 'members')).out)).toEqual([
    ['Quay', 'present', 'this daemon'],
    ['abcdefgh', 'absent', 'abcdefgh'],
    ['Reef', 'left', 'abcdefgh'],
    [''],
    ['Quay/a', 'shared by you', 'Helps.'],
    ['Pier/b', 'free', 'Helps.'],
    ['Pier/c', '$0.05 a request', 'Its key changed.'],
  ]);
});

it('network share prints the own members alone, and restore takes the copy that was named', async () => {
  const copies = [{ name: '2-before-restore' }, { name: '1-before-docks' }];
  const { root, sent } = await scriptedDaemon({
    'PUT /network/agents/a': { agents: AGENTS },
    'GET /network/copies': { copies, count: 2 },
    'POST /network/restore': { copies, count: 2 },
  });
  const shared = await meshd(root, 'network', 'share', 'a');
  expect(cellsOf(shared.out)).toEqual([['Quay/a', 'shared by you', 'Helps.']]);
  expect(await meshd(root, 'network', 'restore', '1-before-docks')).toEqual({
    exit: 0,
    out: 'Restored 1-before-docks. What it replaced is set aside as 2-before-restore.\n',
    err: '',
  });
  expect(sent.at(-1)).toEqual(['POST /network/restore', { copy: '1-before-docks' }]);
});
