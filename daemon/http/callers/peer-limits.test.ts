import { request } from 'node:http';
import Fastify, { type FastifyInstance, type RouteOptions } from 'fastify';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { Caller } from '../../contract/asks.js';
import { MeshError } from '../../lib/errors.js';
import { foreignCaller } from '../../lib/foreign-caller.js';
import { caller } from '../../testing/caller.js';
import { createServer, type RouteRow } from '../create-server.js';
import { Guard } from '../guard.js';
import type { AnyRequest } from '../route-types.js';
import { getCaller } from './caller.js';
import { type Budget, PeerLimits } from './peer-limits.js';

/** Starts a server that attributes every caller to the given user, with a budget that can be set to refuse. */
async function limited(uid: number | undefined) {
  const counted: number[] = [];
  const reserved: number[] = [];
  const state = { isOver: false, isTooOften: false, released: 0 };
  const budget: Budget = {
    count: (whose) => {
      if (state.isTooOften) throw new MeshError('too_many_requests', 'Too often.');
      counted.push(whose);
    },
    reserve: (_whose, bytes) => {
      if (state.isOver) throw new MeshError('no_space', 'Too much.');
      reserved.push(bytes);
      return () => {
        state.released += 1;
      };
    },
  };
  const guard = new Guard();
  const limits = new PeerLimits(() => uid, budget);
  const routes: RouteRow[] = [];
  const app = await createServer({
    guard,
    isForeignPeer: () => false,
    peerLimits: limits,
    log: false,
    onRoute: (row) => void routes.push(row),
  });
  const seen: (number | undefined)[] = [];
  const handler = async (request: AnyRequest) => {
    await new Promise((resolve) => setImmediate(resolve));
    seen.push(foreignCaller.getStore());
    return getCaller(request);
  };
  for (const access of ['public', 'bearer'] as const) {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const)
      app.route({ method, url: `/${access}`, config: { access }, handler });
  }
  app.post('/own', handler);
  app.get('/socket', { config: { access: 'public', socket: true }, websocket: true }, (socket) => socket.resume());
  app.get('/own-socket', { config: { socket: true }, websocket: true }, (socket) => socket.resume());
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  guard.listeningOn(Number(new URL(address).port));
  return { call: caller(address), address, counted, reserved, state, seen, limits };
}

describe('requests of another user', () => {
  it('are counted on every route that may store something, and their work is attributed to that user', async () => {
    const { call, counted, reserved, seen } = await limited(1000);
    for (const access of ['public', 'bearer']) {
      for (const method of ['POST', 'PUT', 'PATCH'])
        expect((await call(method, `/${access}`, { a: 1 })).status).toBe(200);
      expect((await call('DELETE', `/${access}`)).status).toBe(200);
    }
    expect(counted).toEqual(Array(8).fill(1000));
    expect(seen).toEqual(Array(8).fill(1000));
    // Deleting reserves nothing, because it frees space.
    expect(reserved).toEqual(Array(6).fill(7));
  });

  it('that only read are not counted', async () => {
    const { call, counted, seen } = await limited(1000);
    await call('GET', '/public');
    await call('GET', '/bearer');
    expect([counted, seen]).toEqual([[], [undefined, undefined]]);
  });

  it('are refused before the body is read, and their handler does not run', async () => {
    const { call, state, seen } = await limited(1000);
    state.isOver = true;
    expect(await call('POST', '/public', '{"not json')).toMatchObject({ status: 507, body: { error: 'no_space' } });
    expect(seen).toEqual([]);
  });

  it('without a content length reserve the body limit until the response is sent', async () => {
    const { address, reserved, state } = await limited(1000);
    await new Promise<void>((resolve) => {
      const outgoing = request(`${address}/public`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
      });
      outgoing.once('response', (answer) => answer.resume().once('end', resolve));
      outgoing.write('{}');
      outgoing.end();
    });
    expect(reserved).toEqual([1024 * 1024]);
    await expect.poll(() => state.released).toBe(1);
  });

  it('that open a socket are counted, and plain GETs of its address are not', async () => {
    const { address, call, counted, state } = await limited(1000);
    const opened = (path: string) =>
      new Promise<number | undefined>((resolve) => {
        const socket = new WebSocket(`${address}${path}`);
        socket.once('open', () => resolve(socket.close() as undefined));
        socket.once('unexpected-response', (_request, { statusCode }) => resolve(statusCode));
      });
    expect(await opened('/socket')).toBeUndefined();
    expect((await call('GET', '/socket')).status).toBe(426);
    expect(counted).toEqual([1000]);
    state.isTooOften = true;
    expect([await opened('/socket'), await opened('/own-socket')]).toEqual([429, undefined]);
  });

  it('over a socket are counted for each frame', async () => {
    const { limits, counted, reserved, state } = await limited(1000);
    const work = async () => foreignCaller.getStore();
    expect(await limits.carry({} as never, 5, work)).toBe(1000);
    expect([counted, reserved, state.released]).toEqual([[1000], [5], 1]);
    state.isOver = true;
    expect(() => limits.carry({} as never, 5, work)).toThrow('Too much.');
  });
});

it.each([
  [undefined, 'same-origin', true],
  [undefined, 'none', undefined],
  [1000, 'same-origin', undefined],
])('tells the operator at a page of the daemon: uid %s, %s', async (uid, site, operator) => {
  const { call } = await limited(uid);
  for (const path of ['/bearer', '/public']) {
    const { body } = await call('POST', path, {}, { 'sec-fetch-site': site });
    expect((body as Caller).operator).toBe(operator);
  }
});

it('does not limit requests of the operator', async () => {
  const { call, counted, reserved, seen, limits } = await limited(undefined);
  for (const url of ['/public', '/bearer', '/own']) expect((await call('POST', url, {})).status).toBe(200);
  expect(await limits.carry({} as never, 5, async () => foreignCaller.getStore())).toBeUndefined();
  expect([counted, reserved, seen]).toEqual([[], [], [undefined, undefined, undefined]]);
});

/** A bare server whose callers are all the given user. Collects what is counted and reserved, and for whom. */
function bare(uid: number | 'operator' = 1000) {
  const counted: (number | undefined)[] = [];
  const reserved: [number | undefined, number][] = [];
  const budget: Budget = {
    count: (whose) => void counted.push(whose),
    reserve: (whose, bytes) => {
      reserved.push([whose, bytes]);
      return () => undefined;
    },
  };
  const app: FastifyInstance = Fastify();
  onTestFinished(() => app.close());
  new PeerLimits(() => (uid === 'operator' ? undefined : uid), budget).cover(app);
  return { app, counted, reserved };
}

const handler: RouteOptions['handler'] = async () => foreignCaller.getStore() ?? 'nobody';

describe('a route', () => {
  it.each(['GET', 'HEAD', 'OPTIONS', 'TRACE'] as const)('that is only read with %s is not limited', async (method) => {
    const { app, counted } = bare();
    app.route({ method, url: '/x', config: { access: 'public' }, handler });
    expect((await app.inject({ method: method as 'GET', url: '/x' })).statusCode).toBe(200);
    expect(counted).toEqual([]);
  });

  it('that takes one method of storing among others is limited', async () => {
    const { app, counted } = bare();
    app.route({ method: ['OPTIONS', 'POST'], url: '/x', config: { access: 'public' }, handler });
    expect((await app.inject({ method: 'POST', url: '/x' })).body).toBe('1000');
    expect(counted).toEqual([1000]);
  });

  it.each([
    ['no configuration', undefined],
    ['no access', {}],
    ['the operator’s access', { access: 'operator' }],
  ] as const)('of the operator is not limited: it has %s', async (_what, config) => {
    const { app, counted } = bare();
    app.route({ method: 'POST', url: '/x', handler, ...(config && { config }) });
    expect((await app.inject({ method: 'POST', url: '/x' })).body).toBe('nobody');
    expect(counted).toEqual([]);
  });

  it('keeps its own hooks, which run after the limit', async () => {
    const { app, counted } = bare();
    const ran: string[] = [];
    const own = (name: string) => async () => void ran.push(`${name} ${counted.length} ${foreignCaller.getStore()}`);
    app.route({
      method: 'POST',
      url: '/x',
      config: { access: 'public' },
      onRequest: own('on request'),
      preValidation: [own('first'), own('second')],
      handler,
    });
    expect((await app.inject({ method: 'POST', url: '/x' })).body).toBe('1000');
    expect(ran).toEqual(['on request 1 undefined', 'first 1 1000', 'second 1 1000']);
  });

  it('reserves what is announced, but never more than a body may have', async () => {
    const { app, reserved } = bare();
    app.route({ method: ['POST', 'DELETE'], url: '/x', config: { access: 'public' }, handler });
    const send = (length: number, method: 'POST' | 'DELETE' = 'POST') =>
      app.inject({ method, url: '/x', headers: { 'content-length': String(length) } });
    for (const length of [5, 1024 * 1024, 1024 * 1024 + 1]) await send(length);
    await send(5, 'DELETE');
    expect(reserved).toEqual([
      [1000, 5],
      [1000, 1024 * 1024],
      [1000, 1024 * 1024],
    ]);
  });
});

describe('an address of a socket', () => {
  const upgrade = { method: 'GET', url: '/x', headers: { upgrade: 'websocket' } } as const;

  it.each([
    ['another user', 1000, [1000]],
    ['the operator', 'operator', []],
  ] as const)('is counted only when another user opens it: %s', async (_who, uid, times) => {
    const { app, counted } = bare(uid);
    app.route({ method: 'GET', url: '/x', config: { access: 'bearer', socket: true }, handler });
    await app.inject(upgrade);
    expect(counted).toEqual(times);
  });

  it.each([
    ['the operator’s by name', { access: 'operator', socket: true }],
    ['the operator’s by default', { socket: true }],
    ['no address of a socket', { access: 'bearer', socket: false }],
  ] as const)('is not counted when it is %s', async (_what, config) => {
    const { app, counted } = bare();
    app.route({ method: 'GET', url: '/x', config, handler });
    expect((await app.inject(upgrade)).statusCode).toBe(200);
    expect(counted).toEqual([]);
  });
});

it('attributes nothing of the operator, so that its requests carry no cost', async () => {
  const run = vi.spyOn(foreignCaller, 'run');
  onTestFinished(() => run.mockRestore());
  const { call, limits } = await limited(undefined);
  expect((await call('POST', '/public', {})).status).toBe(200);
  await limits.carry({} as never, 5, async () => undefined);
  expect(run).not.toHaveBeenCalled();
});
