import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { type HubMessage, type HubServerFrame, SOCKETS_MAX } from '../../contract/network/hub.js';
import { agentKey } from '../../lib/agents/agent-id.js';
import { MeshError } from '../../lib/errors.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { getDirectThreadId } from './direct-thread.js';
import { type HubDirectory, type HubRegistration, notRegistered, registrationOver } from './hub-directory.js';
import { HubLines } from './hub-lines.js';

class OpenSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  bufferedAmount = 0;
  isTerminated = false;
  pings = 0;
  readonly frames: HubServerFrame[] = [];
  readonly closes: [code: number, reason: string][] = [];
  readonly connection = Object.assign(new EventEmitter(), { writableLength: 0 }) as unknown as Socket;

  terminate(): void {
    this.isTerminated = true;
  }

  ping(): void {
    this.pings += 1;
    this.emit('pong', Buffer.alloc(0));
  }

  close(code: number, reason: string): void {
    this.closes.push([code, reason]);
  }

  send(text: string): void {
    this.frames.push(JSON.parse(text) as HubServerFrame);
  }

  /** Receives a frame from the peer, and resolves when it was carried out. */
  async take(frame: object): Promise<void> {
    this.emit('message', Buffer.from(JSON.stringify(frame)), false);
    await new Promise(setImmediate);
  }

  gone(): void {
    this.readyState = 3;
    this.emit('close');
  }
}

const register = (seq: number, agent_id: string): HubRegistration => ({
  seq,
  agent_id,
  rid: `rid-${seq}`,
  lastSeenMs: 0,
  isAway: false,
});
const [lamp, horn, bell] = [register(1, 'lamp'), register(2, 'Horn'), register(3, 'bell')] as const;
const ROOM = getDirectThreadId(lamp, horn);
const CREATED = {
  type: 'room_created',
  msg_type: 'room_created',
  room_id: ROOM,
  from: 'lamp',
  to: 'Horn',
  peers: ['lamp', 'Horn'],
};
const MESSAGE: HubMessage = {
  _id: 1,
  _message_id: 'msg-1',
  msg_type: 'message',
  from: 'lamp',
  to: 'Horn',
  room_id: ROOM,
  payload: 'fog',
  ts: 1,
};

/** The sockets of three agents, over a directory in which a test changes who is registered. */
function someLines() {
  const clock = new FakeClock();
  const registered = new Map([lamp, horn, bell].map((agent) => [agentKey(agent.agent_id), agent]));
  const find = (id: string) => registered.get(agentKey(id));
  const state: { contacts: string[]; failure: unknown; tell: (id: string, isOnline: boolean) => void } = {
    contacts: [],
    failure: undefined,
    tell: () => undefined,
  };
  const directory = {
    find,
    findBySeq: (seq: number) => [...registered.values()].find((agent) => agent.seq === seq),
    get: (id: string) => {
      const agent = find(id);
      if (!agent) throw notRegistered();
      return agent;
    },
    of: ({ agent_id, rid }: HubRegistration) => {
      const agent = find(agent_id);
      if (agent?.rid !== rid) throw registrationOver();
      return agent;
    },
    onPresence: (listener: typeof state.tell) => {
      state.tell = listener;
    },
  } as unknown as HubDirectory;
  const asked: unknown[] = [];
  const lines = new HubLines(directory, clock, {
    carry: (connection, bytes, work) => {
      asked.push(['carry', connection, bytes]);
      return work();
    },
    send: async (caller, frame) => {
      if (state.failure !== undefined) throw state.failure;
      asked.push(['send', caller.agent_id, frame]);
    },
    listOwners: (agentId) => {
      asked.push(['owners', agentId]);
      return state.contacts;
    },
    failed: (error) => void asked.push(['failed', error]),
  });
  const open = ({ agent_id, rid }: HubRegistration) => {
    const socket = new OpenSocket();
    const caller = { agent_id, rid, jti: 'jti', exp: clock.now() / 1000 + 86_400 };
    lines.add(socket as unknown as WebSocket, socket.connection, caller);
    return socket;
  };
  return { clock, registered, state, asked, lines, open };
}

describe('A socket that is added', () => {
  it('is closed with 4401 when its registration is over or another one, and is not counted', async () => {
    const { registered, lines, open, asked } = someLines();
    const other = open({ ...lamp, rid: 'rid-0' });
    registered.delete('lamp');
    for (const socket of [other, open(lamp)]) {
      expect([socket.closes, lines.size]).toEqual([[[4401, 'this registration is over']], 0]);
      await socket.take({ type: 'connect_to', to: 'Horn' });
      socket.emit('error', new Error('reset'));
      expect([socket.frames, socket.isTerminated]).toEqual([[], true]);
    }
    expect(asked).toEqual([]);
  });

  it('is closed with 1008 beyond 32 of one agent, whose other sockets stay; other agents have their own', () => {
    const { lines, open } = someLines();
    const sockets = Array.from({ length: SOCKETS_MAX }, () => open(lamp));
    expect(open(lamp).closes).toEqual([[1008, 'an agent has at most 32 live sockets']]);
    expect([lines.size, sockets.flatMap(({ closes }) => closes), open(horn).closes]).toEqual([SOCKETS_MAX, [], []]);
    sockets[0]?.gone();
    expect([open(lamp).closes, lines.size]).toEqual([[], SOCKETS_MAX + 1]);
  });

  it('counts until its close frame, and its bytes while they wait', () => {
    const { lines, open } = someLines();
    const [one, two] = [open(lamp), open(horn)];
    one.bufferedAmount = 30;
    two.bufferedAmount = 12;
    expect([lines.size, lines.queuedBytes]).toEqual([2, 42]);
    lines.closeAll('LAMP');
    expect([lines.size, lines.queuedBytes]).toEqual([1, 42]);
    one.gone();
    expect([lines.size, lines.queuedBytes]).toEqual([1, 12]);
  });
});

describe('A message', () => {
  it('reaches every socket of its receiver, each after the id of the thread, which all sockets of both get once', () => {
    const { lines, open } = someLines();
    const [own, one, two, other] = [open(lamp), open(horn), open(horn), open(bell)];
    expect(lines.deliver(horn, MESSAGE, lamp)).toBe(true);
    expect(lines.deliver(horn, { ...MESSAGE, _id: 2 }, lamp)).toBe(true);
    const [first, second] = [
      { ...MESSAGE, type: 'message' },
      { ...MESSAGE, type: 'message', _id: 2 },
    ];
    expect([own.frames, other.frames]).toEqual([[CREATED], []]);
    expect([one.frames, two.frames]).toEqual(Array(2).fill([CREATED, first, second]));
  });

  it('of a channel names no thread', () => {
    const { lines, open } = someLines();
    const [own, peer] = [open(lamp), open(horn)];
    expect(lines.deliver(horn, { ...MESSAGE, msg_type: 'channel_message' }, lamp)).toBe(true);
    expect([own.frames.length, peer.frames.map(({ msg_type }) => msg_type)]).toEqual([0, ['channel_message']]);
  });

  it('is delivered when any of the sockets accepted it, whichever that is, and not when none did', () => {
    const { lines, open } = someLines();
    expect(lines.deliver(horn, MESSAGE, lamp)).toBe(false);
    const [one, two] = [open(horn), open(horn)];
    for (const [first, second, isDelivered] of [
      [1, 2, true],
      [2, 1, true],
      [2, 2, false],
    ] as const) {
      [one.readyState, two.readyState] = [first, second];
      expect(lines.deliver(horn, MESSAGE, lamp)).toBe(isDelivered);
    }
  });

  it('still reaches the other sockets of an agent after one of them is gone', () => {
    const { lines, open } = someLines();
    const [one, two] = [open(horn), open(horn)];
    one.gone();
    expect([lines.deliver(horn, MESSAGE, lamp), one.frames.length, two.frames.length]).toEqual([true, 0, 2]);
  });
});

describe('A frame of a client', () => {
  it('is carried by its connection with its size in bytes, and sends to the id that it names', async () => {
    const { open, asked } = someLines();
    const socket = open(lamp);
    const frame = { type: 'send', to: 'HORN', payload: 'é' };
    await socket.take(frame);
    await socket.take({ ...frame, room_id: ROOM });
    const bytes = (one: object) => Buffer.byteLength(JSON.stringify(one));
    expect(asked).toEqual([
      ['carry', socket.connection, bytes(frame)],
      ['send', 'lamp', { to: 'HORN', payload: 'é' }],
      ['carry', socket.connection, bytes({ ...frame, room_id: ROOM })],
      ['send', 'lamp', { to: 'HORN', payload: 'é' }],
    ]);
    expect(socket.frames).toEqual([]);
  });

  it('that names another room is refused with the id of the right one', async () => {
    const { open, asked } = someLines();
    const socket = open(lamp);
    await socket.take({ type: 'send', to: 'Horn', room_id: 'room-1', payload: 1 });
    expect(socket.frames).toMatchObject([
      { error: 'bad_request', message: `"room_id" is not the room of the two: it is ${ROOM}.` },
    ]);
    expect(asked).toHaveLength(1);
  });

  it('tells a socket the id of the thread anew for each connect_to, and its peers once', async () => {
    const { open } = someLines();
    const [own, beside, peer] = [open(lamp), open(lamp), open(horn)];
    for (let time = 0; time < 2; time += 1) await own.take({ type: 'connect_to', to: 'horn' });
    expect([own.frames, beside.frames, peer.frames]).toEqual([[CREATED, CREATED], [CREATED], [CREATED]]);
  });

  it('is refused in the words of the error, and no failure is reported, when it was wrong', async () => {
    const { open, asked, state, registered } = someLines();
    const socket = open(lamp);
    state.failure = new MeshError('no_space', 'The disk is full.');
    await socket.take({ type: 'send', to: 'Horn', payload: 1 });
    await socket.take({ type: 'send', to: 'nobody', payload: 1 });
    registered.delete('lamp');
    await socket.take({ type: 'connect_to', to: 'Horn' });
    expect(socket.frames).toMatchObject([
      { error: 'no_space', message: 'The disk is full.' },
      { error: 'not_found', message: 'No agent is registered here under this id.' },
      {
        error: 'unauthorized',
        message: 'This registration is over: register again, or send a token of the one in force.',
      },
    ]);
    expect(asked.flat()).not.toContain('failed');
  });

  it('that fails inside is reported with its cause, of which the client learns nothing', async () => {
    const { open, asked, state } = someLines();
    const socket = open(lamp);
    state.failure = new Error('secret');
    await socket.take({ type: 'send', to: 'Horn', payload: 1 });
    expect(socket.frames).toMatchObject([{ error: 'internal', message: 'The frame could not be carried out.' }]);
    expect(asked.at(-1)).toEqual(['failed', state.failure]);
  });
});

describe('Presence', () => {
  it('is told to sockets of agents that have it as a contact, and to those of its threads', async () => {
    const { open, state } = someLines();
    const [own, beside, contact] = [open(lamp), open(lamp), open(bell)];
    state.contacts = ['BELL'];
    await own.take({ type: 'connect_to', to: 'horn' });
    const later = open(lamp);
    for (const isOnline of [false, true]) state.tell('Horn', isOnline);
    const presence = [
      {
        type: 'presence',
        msg_type: 'presence',
        payload: { agent_id: 'Horn', status: 'offline' },
        agent_id: 'Horn',
        online: false,
      },
      {
        type: 'presence',
        msg_type: 'presence',
        payload: { agent_id: 'Horn', status: 'online' },
        agent_id: 'Horn',
        online: true,
      },
    ];
    expect([contact.frames, later.frames]).toEqual([presence, []]);
    expect([own.frames, beside.frames]).toEqual(Array(2).fill([CREATED, ...presence]));
  });

  it('asks for the contacts only while somebody could be told', () => {
    const { open, state, asked } = someLines();
    state.tell('Horn', true);
    const socket = open(lamp);
    state.tell('Horn', false);
    socket.gone();
    state.tell('Horn', true);
    expect(asked).toEqual([['owners', 'Horn']]);
  });
});

describe('The sockets of the hub', () => {
  it('of an ended registration are closed with 4401, and those of other agents are kept', () => {
    const { lines, open } = someLines();
    const [one, two, other] = [open(horn), open(horn), open(lamp)];
    lines.closeAll('nobody');
    lines.closeAll('HORN');
    expect([one.closes, two.closes]).toEqual(Array(2).fill([[4401, 'this registration is over']]));
    expect(other.closes).toEqual([]);
  });

  it('of registrations that are gone, or are others, after all were replaced are closed with 4401', () => {
    const { lines, open, registered } = someLines();
    const [gone, replaced, kept] = [open(lamp), open(horn), open(bell)];
    registered.delete('lamp');
    registered.set('horn', { ...horn, rid: 'rid-9' });
    lines.closeEnded();
    expect([gone.closes, replaced.closes]).toEqual(Array(2).fill([[4401, 'this registration is over']]));
    expect(kept.closes).toEqual([]);
  });

  it('are pinged every 25 seconds, and looked at every five', () => {
    const { clock, lines, open } = someLines();
    lines.start();
    const socket = open(lamp);
    clock.advance(24_999);
    expect(socket.pings).toBe(0);
    clock.advance(1);
    clock.advance(25_000);
    expect([socket.pings, socket.closes]).toEqual([2, []]);
    clock.step(86_400_000);
    clock.advance(4_999);
    expect(socket.closes).toEqual([]);
    clock.advance(1);
    expect(socket.closes).toEqual([[4401, 'the token is over']]);
    lines.stop();
  });

  it('need no stop of what has not begun', () => {
    const { lines, open } = someLines();
    const socket = open(lamp);
    lines.stop();
    expect(socket.closes).toEqual([[1001, 'the daemon stops']]);
  });

  it('are closed with 1001 when the daemon stops, slow ones at once, and no timer is left', () => {
    const { clock, lines, open } = someLines();
    lines.start();
    const [one, slow] = [open(lamp), open(horn)];
    slow.bufferedAmount = 1_048_576;
    lines.deliver(horn, MESSAGE, lamp);
    expect(slow.closes).toEqual([[4408, 'too slow']]);
    lines.stop();
    expect(one.closes).toEqual([[1001, 'the daemon stops']]);
    expect([one.isTerminated, slow.isTerminated, slow.closes.length]).toEqual([false, true, 1]);
    clock.advance(60_000);
    expect([clock.pending, one.pings]).toEqual([0, 0]);
  });
});
