import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
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
