import { EventEmitter, once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ConnectionShare, type Owners } from './connection-share.js';

type Found = Awaited<ReturnType<Owners['lookUp']>>;

const turn = () => new Promise((resolve) => setImmediate(resolve));

/**
 * Starts a server that allows 12 connections, 8 of them for other users. `open` declares the owner of each connection.
 */
async function sharing() {
  const foreignPorts = new Set<number>();
  const known = new Set<Socket>();
  const hidden = new Set<number>();
  const state = { readings: 0, found: new Map() as Found, isHiddenOnce: false, isSlow: false, nowMs: 0, stepMs: 1_000 };
  const accepted = new Set<Socket>();
  const owners: Owners = {
    async lookUp() {
      state.readings += 1;
      const asked = [...accepted];
      if (state.isSlow) await new Promise(() => undefined);
      await turn();
      if (typeof state.found !== 'string')
        for (const socket of asked) if (!hidden.has(socket.remotePort as number)) known.add(socket);
      if (state.isHiddenOnce) hidden.clear();
      return state.found;
    },
    isKnown: (socket) => known.has(socket),
    isKnownOwn: (socket) => known.has(socket) && !foreignPorts.has(socket.remotePort as number),
  };
  let answer: (() => void)[] = [];
  const server = createServer((request, response) => {
    if (request.url === '/slow') answer.push(() => response.end('done'));
    else response.end('ok');
  });
  new ConnectionShare({ total: 12, foreign: 8 }, owners, () => state.nowMs).follow(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const clients: Socket[] = [];
  onTestFinished(() => {
    for (const client of clients) client.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  /** Returns the socket at the server's end. There, a connection that the server cuts is destroyed at once. */
  const open = async (whose: 'own' | 'foreign', isHidden = false): Promise<Socket> => {
    state.nowMs += state.stepMs;
    const served = new Promise<Socket>((resolve) => {
      server.prependOnceListener('connection', (socket: Socket) => {
        accepted.add(socket);
        if (whose === 'foreign') foreignPorts.add(socket.remotePort as number);
        if (isHidden) hidden.add(socket.remotePort as number);
        resolve(socket);
      });
    });
    const client = connect({ port, host: '127.0.0.1' });
    client.on('error', () => undefined).resume();
    clients.push(client);
    await served;
    // Waits twice as long as a lookup of owners takes.
    for (let count = 0; count < 4; count += 1) await turn();
    return served;
  };
  /**
   * Sends a request over the client's end of the connection at `index` and waits until the server has started to handle
   * it.
   */
  const ask = async (index: number, path: string) => {
    const begun = once(server, 'request');
    clients.at(index)?.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await begun;
  };
  const askLast = (path: string) => ask(-1, path);
  const closeFirst = async (served: Socket) => {
    const closed = once(served, 'close');
    clients[0]?.destroy();
    await closed;
  };
  const finish = () => {
    for (const end of answer) end();
    answer = [];
  };
  return { open, ask, askLast, closeFirst, state, finish };
}

const isOpen = (socket: Socket | undefined) => socket?.destroyed === false;
const countOpen = (sockets: readonly Socket[]) => sockets.filter(isOpen).length;

const several = async (count: number, open: () => Promise<Socket>) => {
  const sockets: Socket[] = [];
  for (let number = 0; number < count; number += 1) sockets.push(await open());
  return sockets;
};

describe('connections of other users', () => {
  it('are not looked up while few are open', async () => {
    const { open, state } = await sharing();
    await several(2, () => open('foreign'));
    await several(2, () => open('own'));
    expect(state.readings).toBe(0);
  });

  it('keep to their share, the longest idle are cut first, and the operator’s stay open', async () => {
    const { open } = await sharing();
    const own = await several(3, () => open('own'));
    const [oldest, ...others] = await several(8, () => open('foreign'));
    const late = await open('own');
    expect(countOpen([...own, late])).toBe(4);
    expect(isOpen(oldest)).toBe(false);
    const more = await several(30, () => open('foreign'));
    expect(countOpen([...others, ...more])).toBeLessThanOrEqual(8);
    expect(isOpen(more.at(-1))).toBe(true);
    expect(countOpen([...own, late])).toBe(4);
  });

  it('are idle since their last request, not since they were opened', async () => {
    const { open, ask } = await sharing();
    const known = await several(7, () => open('foreign'));
    await ask(0, '/');
    const late = await open('foreign');
    expect(known.map(isOpen)).toEqual([true, false, true, true, true, true, true]);
    expect(isOpen(late)).toBe(true);
  });

  it('are looked up together, not one by one', async () => {
    const { open, state } = await sharing();
    await several(60, () => open('foreign'));
    expect(state.readings).toBeLessThanOrEqual(30);
  });

  it('keep to their share while owners are unknown, but one with a running request is not cut', async () => {
    const { open, askLast, state, finish } = await sharing();
    const known = await several(6, () => open('foreign'));
    expect([state.readings, countOpen(known)]).toEqual([1, 6]);
    state.isSlow = true;
    const asking = await open('own');
    await askLast('/slow');
    const more = await several(30, () => open('foreign'));
    expect([countOpen([...known, ...more]), isOpen(asking), isOpen(more.at(-1))]).toEqual([6, true, true]);
    finish();
  });

  it('are cut before a connection whose request may still be in transit', async () => {
    const { open, askLast, state } = await sharing();
    const known = await several(6, async () => {
      const socket = await open('foreign');
      await askLast('/slow');
      return socket;
    });
    state.isSlow = true;
    state.stepMs = 1;
    const own = await open('own');
    const more = await several(5, () => open('foreign'));
    expect([isOpen(own), countOpen(known), countOpen(more)]).toEqual([true, 1, 5]);
  });

  it('are not cut while owners are unknown when all connections are the operator’s', async () => {
    const { open, state } = await sharing();
    state.isSlow = true;
    expect(countOpen(await several(12, () => open('own')))).toBe(12);
  });

  it('with a pending response are cut after idle ones', async () => {
    const { open, askLast, finish } = await sharing();
    const busy = await open('foreign');
    await askLast('/slow');
    await several(12, () => open('foreign'));
    expect(isOpen(busy)).toBe(true);
    finish();
  });

  it.each([
    [true, 9],
    [false, 7],
  ])('are cut for lack of a row only when it was missing twice (missing once: %s)', async (isHiddenOnce, left) => {
    const { open, state } = await sharing();
    state.isHiddenOnce = isHiddenOnce;
    expect(countOpen(await several(9, () => open('own', true)))).toBe(left);
  });

  it.each<[Found]>([['unreadable'], ['no table']])('are not cut while the connection table is %s', async (found) => {
    const { open, state } = await sharing();
    state.found = found;
    expect(countOpen(await several(12, () => open('foreign')))).toBe(12);
  });
});

it('closes a connection above the total at once and no other', async () => {
  const { open, closeFirst } = await sharing();
  const own = await several(12, () => open('own'));
  const late = await open('own');
  expect(isOpen(late)).toBe(false);
  expect(countOpen(own)).toBe(12);
  await closeFirst(own[0] as Socket);
  expect(isOpen(await open('own'))).toBe(true);
});

/** The server's end of a connection, which tells how it was cut. */
class Connection extends EventEmitter {
  writableEnded = false;
  _httpMessage: object | null = null;
  cut: 'reset' | 'destroyed' | undefined;

  resetAndDestroy(): void {
    this.cut = 'reset';
  }

  destroy(): void {
    this.cut = 'destroyed';
  }
}

/**
 * A share of eight of twelve connections, of which seven may be held. Time stands still until `state.nowMs` is set, and
 * every lookup waits until the test ends it.
 */
function stepwise({ total = 12, isRealTime = false } = {}) {
  const server = new EventEmitter();
  const everyone: Connection[] = [];
  const foreign = new Set<unknown>();
  const known = new Set<unknown>();
  const lookups: ((found: Found) => void)[] = [];
  const state = { nowMs: 1_000, readings: 0, clockReadings: 0 };
  const owners: Owners = {
    async lookUp() {
      state.readings += 1;
      const asked = [...everyone];
      const found = await new Promise<Found>((resolve) => lookups.push(resolve));
      if (typeof found !== 'string') for (const one of asked) known.add(one);
      return found;
    },
    isKnown: (socket) => known.has(socket),
    isKnownOwn: (socket) => known.has(socket) && !foreign.has(socket),
  };
  const tell = () => {
    state.clockReadings += 1;
    return state.nowMs;
  };
  const share = new ConnectionShare({ total, foreign: 8 }, owners, ...(isRealTime ? [] : [tell]));
  share.follow(server as unknown as Server);
  const open = (count: number, whose: 'own' | 'foreign') =>
    Array.from({ length: count }, () => {
      const socket = new Connection();
      everyone.push(socket);
      if (whose === 'foreign') foreign.add(socket);
      server.emit('connection', socket);
      return socket;
    });
  /** Ends the lookup that runs, and waits until the share has acted on it. */
  const find = async (found: Found = new Map()) => {
    lookups.shift()?.(found);
    for (let count = 0; count < 5; count += 1) await Promise.resolve();
  };
  const close = (sockets: readonly Connection[]) => {
    for (const socket of sockets) socket.emit('close');
  };
  /** Lets the share find connections of other users, which then close. */
  const seeOthers = async () => {
    const others = open(5, 'foreign');
    await find();
    close(others);
  };
  const countCut = () => everyone.filter(({ cut }) => cut !== undefined).length;
  return { server, open, find, close, seeOthers, state, known, countCut };
}

const cutOnes = (sockets: readonly Connection[]) => sockets.map(({ cut }) => cut !== undefined);

describe('owners of connections', () => {
  it('are looked up once at a time, and again at once for those that came meanwhile', async () => {
    const { open, find, state } = stepwise();
    open(4, 'own');
    expect(state.readings).toBe(0);
    open(7, 'own');
    expect(state.readings).toBe(1);
    await find();
    expect(state.readings).toBe(2);
    await find();
    expect(state.readings).toBe(2);
  });

  it('are looked up again for a second unknown connection while the share is half full, not for one', async () => {
    const { open, find, state } = stepwise();
    open(5, 'foreign');
    await find();
    open(1, 'own');
    expect(state.readings).toBe(1);
    open(1, 'own');
    expect(state.readings).toBe(2);
  });

  it('are the operator’s for good, whatever requests it sends', async () => {
    const { server, open, find, state } = stepwise();
    const own = open(5, 'own');
    await find();
    for (const socket of own) server.emit('request', { socket });
    open(4, 'own');
    expect(state.readings).toBe(1);
    open(1, 'own');
    expect(state.readings).toBe(2);
  });

  it('are looked up once when there is no table of connections', async () => {
    const { open, find, state } = stepwise();
    open(5, 'own');
    await find('no table');
    expect(state.readings).toBe(1);
    open(4, 'own');
    expect(state.readings).toBe(1);
  });

  it('do not matter for a connection that closed during the lookup: it takes no place', async () => {
    const { open, find, close, countCut } = stepwise();
    close(open(5, 'foreign').slice(0, 1));
    await find();
    open(3, 'own');
    expect(countCut()).toBe(0);
  });
});

describe('a share that is full', () => {
  it('is cut down to nine tenths when the lookup ends, without a further connection', async () => {
    const { open, find, countCut } = stepwise();
    const others = open(12, 'foreign');
    expect(countCut()).toBe(0);
    await find();
    expect(cutOnes(others)).toEqual([...Array(5).fill(true), ...Array(7).fill(false)]);
    await find();
    expect(countCut()).toBe(5);
  });

  it('is cut by 32 connections at a time, until it is kept, and then rests', async () => {
    const { open, find, state, countCut } = stepwise({ total: 100 });
    open(60, 'foreign');
    await find('unreadable');
    expect(countCut()).toBe(0);
    open(1, 'foreign');
    await find();
    expect(countCut()).toBe(32);
    await turn();
    expect(countCut()).toBe(54);
    await turn();
    const before = state.clockReadings;
    for (let count = 0; count < 3; count += 1) await turn();
    expect([countCut(), state.clockReadings]).toEqual([54, before]);
  });

  it('is left alone while no connection of another user is known', async () => {
    const { open, find, state, countCut } = stepwise({ total: 20 });
    open(5, 'own');
    await find();
    state.nowMs += 1_000;
    open(8, 'own');
    state.nowMs += 1_000;
    open(1, 'own');
    await find('unreadable');
    const before = state.clockReadings;
    for (let count = 0; count < 3; count += 1) await turn();
    expect([countCut(), state.clockReadings]).toEqual([0, before]);
  });

  it('does not try again and again while only owners are missing', async () => {
    const { open, find, state, countCut } = stepwise({ total: 20 });
    open(13, 'own');
    await find();
    const before = state.clockReadings;
    for (let count = 0; count < 3; count += 1) await turn();
    expect([countCut(), state.clockReadings]).toEqual([0, before]);
  });

  it('loses silent connections of unknown owners that are older than 50 ms, the oldest first', async () => {
    const { open, seeOthers, state } = stepwise();
    await seeOthers();
    const silent = open(7, 'own');
    state.nowMs += 50;
    silent.push(...open(1, 'own'));
    expect(cutOnes(silent)).toEqual(Array(8).fill(false));
    state.nowMs += 1;
    open(1, 'own');
    expect(cutOnes(silent)).toEqual([true, true, ...Array(6).fill(false)]);
  });

  it('loses no connection that turned out to be the operator’s meanwhile', async () => {
    const { open, seeOthers, state, known, countCut } = stepwise();
    await seeOthers();
    const own = open(7, 'own');
    state.nowMs += 1_000;
    known.add(own[0]);
    open(1, 'own');
    expect(countCut()).toBe(0);
    open(1, 'own');
    expect(cutOnes(own)).toEqual([false, true, ...Array(5).fill(false)]);
  });

  it('loses idle connections before open sockets', async () => {
    const { server, open, find } = stepwise();
    const others = open(5, 'foreign');
    await find();
    server.emit('upgrade', { socket: others[0] });
    open(3, 'own');
    expect(cutOnes(others)).toEqual([false, true, false, false, false]);
  });

  it('loses a connection by a reset, or by its end when its answer has ended', async () => {
    const { open, find } = stepwise();
    const others = open(5, 'foreign');
    await find();
    (others[0] as Connection).writableEnded = true;
    open(4, 'own');
    expect(others.map(({ cut }) => cut)).toEqual(['destroyed', 'reset', undefined, undefined, undefined]);
  });

  it('has room for the next connection at once, before the one that was cut has closed', async () => {
    const { open, find } = stepwise({ total: 8 });
    const others = open(5, 'foreign');
    await find();
    const own = open(5, 'own');
    expect([cutOnes(others), cutOnes(own)]).toEqual([[true, true, true, false, false], Array(5).fill(false)]);
  });

  it('tells silence by the time that has really passed', async () => {
    const time = vi.spyOn(performance, 'now').mockReturnValue(1_000);
    onTestFinished(() => time.mockRestore());
    const { open, seeOthers } = stepwise({ isRealTime: true });
    await seeOthers();
    const silent = open(7, 'own');
    time.mockReturnValue(1_051);
    open(1, 'own');
    expect(cutOnes(silent)).toEqual([true, ...Array(6).fill(false)]);
  });
});
