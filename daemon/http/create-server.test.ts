import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { SOCKET_FRAME_LIMIT } from '../contract/limits.js';
import { MeshError } from '../lib/errors.js';
import { rawRequest, UPGRADE } from '../testing/processes/raw-request.js';
import type { Access } from './callers/access.js';
import { type AnsweredRequest, createServer, type RouteRow, type ServerOptions } from './create-server.js';
import type { Guard } from './guard.js';
import type { App } from './route-types.js';

const ACCESSES: readonly Access[] = ['operator', 'bearer', 'public', 'page', 'card'];

type Line = Record<string, unknown> & { msg: string };

interface Setup extends Partial<Omit<ServerOptions, 'log' | 'guard'>> {
  level?: string;
  /** What the guard says of each request. */
  refuse?: (access: Access) => ReturnType<Guard['check']>;
}

/** Returns a server without routes, the lines of its log, and for which access the guard was asked. */
async function aServer({ level = 'info', refuse = () => undefined, ...options }: Setup = {}) {
  const lines: Line[] = [];
  const guarded: Access[] = [];
  const check = (_request: unknown, access: Access) => {
    guarded.push(access);
    return refuse(access);
  };
  const app = await createServer({
    guard: { check } as unknown as Guard,
    isForeignPeer: () => false,
    log: { level, stream: { write: (line) => void lines.push(JSON.parse(line) as Line) } },
    ...options,
  });
  onTestFinished(() => app.close());
  return { app, lines, guarded };
}

/** The header lines of a client that prefers HTTP/2, such as the one of Java. */
const TO_HTTP_2 = ['Host: x', 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk'];

const listen = async (app: App) => Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);

/** Sends a request and returns everything that arrives until the server ends the connection. */
async function untilEnd(port: number, head: readonly string[], { isHalfClosed = false } = {}): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  onTestFinished(() => void socket.destroy());
  let text = '';
  socket.on('data', (chunk) => {
    text += String(chunk);
  });
  const request = `${head.join('\r\n')}\r\n\r\n`;
  if (isHalfClosed) socket.end(request);
  else socket.write(request);
  await once(socket, 'end');
  return text;
}

/** Sends requests over one connection, each when the answer before it is complete, and returns the answers. */
async function inTurn(port: number, requests: readonly (readonly string[])[]): Promise<string[]> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  onTestFinished(() => void socket.destroy());
  const chunks = socket[Symbol.asyncIterator]();
  const answers: string[] = [];
  for (const lines of requests) {
    socket.write(lines.join('\r\n'));
    let text = '';
    const isWhole = () =>
      text.length >= text.indexOf('\r\n\r\n') + 4 + Number(/^content-length: (\d+)/im.exec(text)?.[1] ?? Infinity);
    while (!isWhole()) {
      const { value, done } = await chunks.next();
      if (done) return [...answers, text];
      text += value;
    }
    answers.push(text);
  }
  return answers;
}

/** Opens a WebSocket and returns it with the code of its end. */
async function opened(port: number, path = '/socket') {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`);
  socket.on('error', () => undefined);
  onTestFinished(() => socket.terminate());
  const closed = once(socket, 'close').then(([code]) => code as number);
  await once(socket, 'open');
  return { socket, closed };
}

describe('the routes of a server', () => {
  it('are announced one by one for each method, and are the operator’s own unless they say otherwise', async () => {
    const rows: RouteRow[] = [];
    const { app } = await aServer({ onRoute: (row) => void rows.push(row) });
    app.route({ method: ['PUT', 'PATCH'], url: '/lamp', handler: async () => null });
    app.delete('/lamp', { config: { access: 'bearer' } }, async () => null);
    app.route({ method: 'POST', url: '/s', config: { access: 'public', socket: false }, handler: async () => null });
    app.get('/socket', { config: { access: 'card', socket: true }, websocket: true }, () => undefined);
    expect(rows.filter(({ method }) => method !== 'HEAD')).toEqual([
      { method: 'PUT', url: '/lamp', access: 'operator', isSocket: false },
      { method: 'PATCH', url: '/lamp', access: 'operator', isSocket: false },
      { method: 'DELETE', url: '/lamp', access: 'bearer', isSocket: false },
      { method: 'POST', url: '/s', access: 'public', isSocket: false },
      { method: 'GET', url: '/socket', access: 'card', isSocket: true },
    ]);
  });

  it('take parameters of up to 256 characters, and paths without a further slash only', async () => {
    const { app } = await aServer();
    app.get<{ Params: { name: string } }>('/lamps/:name', async ({ params }) => ({ length: params.name.length }));
    const status = async (path: string) => (await app.inject(path)).statusCode;
    expect((await app.inject(`/lamps/${'a'.repeat(256)}`)).json()).toEqual({ length: 256 });
    expect(await status(`/lamps/${'a'.repeat(257)}`)).toBe(400);
    expect([await status('/lamps/a'), await status('/lamps/a/')]).toEqual([200, 404]);
  });

  it('see the address of the connection, whatever a header claims', async () => {
    const { app } = await aServer();
    app.get('/ip', async ({ ip }) => ({ ip }));
    const answer = await app.inject({ url: '/ip', headers: { 'x-forwarded-for': '10.0.0.9' } });
    expect(answer.json()).toEqual({ ip: '127.0.0.1' });
  });

  it('use the compiled validators and serializers that are given', async () => {
    const kinds: string[] = [];
    const { app } = await aServer({
      precompiled: { onSchema: (input) => void kinds.push(Object.keys(input)[0] ?? '') },
    });
    const schema = { body: { type: 'object' }, response: { 200: { type: 'object' } } };
    app.post('/lamp', { schema }, async () => null);
    await app.ready();
    expect([...new Set(kinds)].sort()).toEqual(['serializes', 'validates']);
  });

  it('come from plugins that are named by their function, unless they have a name', async () => {
    const { app } = await aServer();
    const displayName = Symbol.for('fastify.display-name');
    const lampRoutes = async () => undefined;
    const boatRoutes = async () => undefined;
    Object.assign(boatRoutes, { [displayName]: 'boats' });
    const fromModule = Object.freeze({ default: async () => undefined });
    for (const plugin of [lampRoutes, boatRoutes, fromModule]) await app.register(plugin as never);
    const nameOf = (plugin: object) => (plugin as Record<symbol, unknown>)[displayName];
    expect([lampRoutes, boatRoutes].map(nameOf)).toEqual(['lampRoutes', 'boats']);
  });
});

describe('a server', () => {
  it('gives a request ten seconds, its headers five, an unread answer four and an idle connection 75', async () => {
    const { app } = await aServer();
    const times = { requestTimeout: 10_000, headersTimeout: 5_000, keepAliveTimeout: 75_000, timeout: 4_000 };
    expect(app.server).toMatchObject({ ...times, connectionsCheckingInterval: 1_000 });
    // A number of headers that Node.js enforces drops those above it: the guard counts them.
    expect(app.server).toMatchObject({ maxHeaderSize: 16_384, maxHeadersCount: 0 });
  });

  it('closes the answers that wait behind another one when their connection closes', async () => {
    const { app } = await aServer();
    const closed: string[] = [];
    app.get<{ Params: { name: string } }>('/:name', ({ params }, reply) => {
      reply.raw.once('close', () => {
        closed.push(params.name);
        if (closed.length === 2) app.server.emit('all closed');
      });
      if (params.name === 'second') app.server.emit('asked');
      return new Promise(() => undefined);
    });
    const socket = connect(await listen(app), '127.0.0.1');
    const [asked, allClosed] = [once(app.server, 'asked'), once(app.server, 'all closed')];
    socket.write(['first', 'second'].map((name) => `GET /${name} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''));
    await asked;
    socket.destroy();
    await allClosed;
    expect(closed.sort()).toEqual(['first', 'second']);
  });

  it('answers what is no request, and takes bodies of JSON up to 1 MiB alone', async () => {
    const { app } = await aServer();
    app.post('/', async ({ body }) => ({ chars: String(body).length }));
    const port = await listen(app);
    const [head, body] = (await untilEnd(port, ['nonsense'])).split('\r\n\r\n');
    expect([head?.split('\r\n')[0], JSON.parse(body ?? '')]).toEqual([
      'HTTP/1.1 400 Bad Request',
      { error: 'bad_request', message: 'The request is malformed.' },
    ]);
    const send = async (payload: string, type = 'application/json') =>
      (await app.inject({ method: 'POST', url: '/', payload, headers: { 'content-type': type } })).json();
    const most = 'x'.repeat(1024 * 1024 - 2);
    expect(await send(`"${most}"`)).toEqual({ chars: most.length });
    expect(await send(`"${most}x"`)).toEqual({
      error: 'too_large',
      message: 'The body is larger than 1048576 bytes.',
    });
    expect(await send('lit', 'text/plain')).toMatchObject({ error: 'unsupported_media_type' });
  });

  it('cuts the requests in progress when it closes', async () => {
    const { app } = await aServer();
    app.get('/silent', () => {
      app.server.emit('asked');
      return new Promise(() => undefined);
    });
    const port = await listen(app);
    const asked = once(app.server, 'asked');
    const answer = rawRequest(port, ['GET /silent HTTP/1.1', 'Host: x']);
    await asked;
    await app.close();
    expect((await answer).status).toBe(0);
  });

  it('refuses a path without a route for everybody', async () => {
    const { app, guarded } = await aServer({ isForeignPeer: () => true });
    const answer = await app.inject({ method: 'POST', url: '/nothing' });
    expect([answer.statusCode, answer.json()]).toEqual([
      404,
      { error: 'not_found', message: 'There is no such route.' },
    ]);
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    expect(guarded).toEqual(['public']);
  });

  it('tells no caller what failed within it', async () => {
    const { app, lines } = await aServer();
    app.get('/', async () => Promise.reject(new Error('cable broken')));
    const answer = (await app.inject('/')).json() as { error: string; id: string };
    expect(answer).toEqual({ error: 'internal', id: expect.any(String) });
    expect(lines).toMatchObject([{ msg: 'request failed', id: answer.id, err: { message: 'cable broken' } }]);
  });
});

describe('a path that cannot be decoded', () => {
  it('is refused as malformed, with the headers of every answer', async () => {
    const { app, guarded } = await aServer();
    const answer = await app.inject('/%');
    expect([answer.statusCode, answer.json()]).toMatchObject([400, { error: 'bad_request' }]);
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'x-frame-options': 'DENY' });
    expect(guarded).toEqual(['public']);
  });

  it('is refused by the guard first', async () => {
    const { app } = await aServer({ refuse: () => ({ code: 'wrong_host', message: 'Not this name.' }) });
    for (const headers of [{}, { 'service-worker': 'script' }]) {
      const answer = await app.inject({ url: '/%', headers });
      expect([answer.statusCode, answer.json()]).toEqual([421, { error: 'wrong_host', message: 'Not this name.' }]);
    }
  });

  it('ends the connection that would be upgraded, and no other', async () => {
    const { app } = await aServer();
    const port = await listen(app);
    expect(await untilEnd(port, ['GET /% HTTP/1.1', 'Host: x', ...UPGRADE])).toMatch(/^HTTP\/1.1 400 /);
    const two = ['GET /% HTTP/1.1', 'Host: x', '', 'GET /% HTTP/1.1', 'Host: x', 'Connection: close'];
    expect((await untilEnd(port, two)).match(/HTTP\/1.1 400 /g)).toHaveLength(2);
  });
});

describe('the guard of a server', () => {
  it('is asked about every request with the access of its route', async () => {
    const { app, guarded } = await aServer();
    for (const access of ACCESSES) app.get(`/${access}`, { config: { access } }, async () => null);
    app.get('/unsaid', async () => null);
    for (const path of [...ACCESSES, 'unsaid']) await app.inject(`/${path}`);
    expect(guarded).toEqual([...ACCESSES, 'operator']);
  });

  it('decides before the route sees the request, and ends the connection of a refused upgrade alone', async () => {
    const { app } = await aServer({ refuse: () => ({ code: 'forbidden_origin', message: 'Not this page.' }) });
    app.get('/lamp', () => Promise.reject(new Error('reached')));
    const port = await listen(app);
    const ask = ['GET /lamp HTTP/1.1', 'Host: x'];
    const refused = /^HTTP\/1.1 403 [\s\S]*\{"error":"forbidden_origin","message":"Not this page."\}$/;
    expect(await untilEnd(port, [...ask, ...UPGRADE])).toMatch(refused);
    expect((await untilEnd(port, [...ask, '', ...ask, 'Connection: close'])).match(/HTTP\/1.1 403 /g)).toHaveLength(2);
  });
});

describe('an upgrade', () => {
  it('is refused on a route that is no socket, as if there were none', async () => {
    const { app } = await aServer();
    app.get('/lamp', async () => null);
    const port = await listen(app);
    const answer = await untilEnd(port, ['GET /lamp HTTP/1.1', 'Host: x', ...UPGRADE]);
    expect(answer).toMatch(/^HTTP\/1.1 404 [\s\S]*\{"error":"not_found","message":"There is no such route."\}$/);
  });

  it('to another protocol is ignored, and the request answered like any other', async () => {
    const { app } = await aServer();
    app.get('/lamp', async () => 'lit');
    app.post('/lamp', async ({ body }) => ({ body }));
    app.get('/socket', { config: { socket: true }, websocket: true }, () => undefined);
    const port = await listen(app);
    const post = ['POST /lamp HTTP/1.1', 'Content-Type: application/json', ...TO_HTTP_2];
    const asks = [
      [['GET /lamp HTTP/1.1', ...TO_HTTP_2, '', ''], 'lit'],
      [[...post, 'Content-Length: 9', '', '{"lit":1}'], '{"body":{"lit":1}}'],
      [[...post, 'Transfer-Encoding: chunked', '', '9', '{"lit":1}', '0', '', ''], '{"body":{"lit":1}}'],
      [['GET /nothing HTTP/1.1', ...TO_HTTP_2, '', ''], 'There is no such route.'],
      [['GET /socket HTTP/1.1', ...TO_HTTP_2, '', ''], 'upgrade_required'],
    ] as const;
    const answers = await inTurn(
      port,
      asks.map(([lines]) => lines),
    );
    expect(answers).toEqual(asks.map(([, expected]) => expect.stringContaining(expected)));
  });

  it('to another protocol with a request behind it ends the connection without reading that', async () => {
    const { app } = await aServer();
    const reached: string[] = [];
    for (const path of ['/lamp', '/more']) app.get(path, async () => void reached.push(path));
    const more = ['', 'GET /more HTTP/1.1', 'Host: x'];
    await untilEnd(await listen(app), ['GET /lamp HTTP/1.1', ...TO_HTTP_2, ...more]);
    expect(reached).not.toContain('/more');
  });

  it('is asked for on the route of a socket, before the route’s own checks', async () => {
    const { app } = await aServer();
    const checked: string[] = [];
    const check = (name: string) => async () => void checked.push(name);
    const config = { socket: true };
    const handler = () => undefined;
    app.get('/none', { config, websocket: true }, handler);
    app.get('/one', { config, websocket: true, preHandler: check('one') }, handler);
    app.get('/two', { config, websocket: true, preHandler: [check('a'), check('b')] }, handler);
    app.get('/plain', { preHandler: check('plain') }, async () => null);
    for (const path of ['/none', '/one', '/two']) {
      const answer = await app.inject(path);
      expect([answer.statusCode, answer.headers['upgrade'], answer.json()]).toEqual([
        426,
        'websocket',
        {
          error: 'upgrade_required',
          message: 'This route is a WebSocket: open it with ws:// and the headers of an upgrade.',
        },
      ]);
    }
    expect(checked).toEqual([]);
    expect((await app.inject('/plain')).headers['upgrade']).toBeUndefined();
    const port = await listen(app);
    for (const path of ['/none', '/one', '/two']) (await opened(port, path)).socket.terminate();
    expect(checked).toEqual(['plain', 'one', 'a', 'b']);
  });

  it('of a connection that is half closed meanwhile is refused', async () => {
    const whenPeerKnown: ServerOptions['whenPeerKnown'] = (socket, known) => socket.resume().once('end', known);
    const { app } = await aServer({ whenPeerKnown });
    app.get('/socket', { config: { socket: true }, websocket: true }, () => undefined);
    const head = ['GET /socket HTTP/1.1', 'Host: x', ...UPGRADE];
    const [line, ...rest] = (await untilEnd(await listen(app), head, { isHalfClosed: true })).split('\r\n');
    expect(line).toBe('HTTP/1.1 403 Forbidden');
    expect(JSON.parse(rest.at(-1) ?? '')).toEqual({
      error: 'forbidden',
      message: 'The connection was half closed before it was known whose it is: keep it open.',
    });
  });
});

describe('the owner of a connection', () => {
  /** Returns the routes that wait until the owner is known, of all kinds of routes. */
  async function listWaiting(method: 'GET' | 'HEAD' | 'POST') {
    const waiting: string[] = [];
    let path = '';
    const whenPeerKnown: ServerOptions['whenPeerKnown'] = (_socket, known) => {
      waiting.push(path);
      known();
    };
    const { app } = await aServer({ whenPeerKnown });
    for (const access of ACCESSES)
      app.route({ method, url: `/${access}`, config: { access }, handler: async () => '' });
    for (path of ACCESSES) expect((await app.inject({ method, url: `/${path}` })).statusCode).toBe(200);
    return waiting;
  }

  it('is awaited for all that may store something, and on the operator’s own routes', async () => {
    expect(await listWaiting('POST')).toEqual(ACCESSES);
    for (const method of ['GET', 'HEAD'] as const) expect(await listWaiting(method)).toEqual(['operator', 'page']);
  });

  it('is awaited for an upgrade on any route', async () => {
    let waits = 0;
    const whenPeerKnown: ServerOptions['whenPeerKnown'] = (_socket, known) => {
      waits += 1;
      known();
    };
    const { app } = await aServer({ whenPeerKnown });
    app.get('/socket', { config: { access: 'public', socket: true }, websocket: true }, () => undefined);
    await opened(await listen(app));
    expect(waits).toBe(1);
  });

  it('must be the operator on the operator’s own routes', async () => {
    const { app } = await aServer({ isForeignPeer: () => true });
    for (const access of ACCESSES) app.post(`/${access}`, { config: { access } }, async () => null);
    app.get('/socket', { config: { socket: true }, websocket: true }, () => undefined);
    const statuses = [];
    for (const access of ACCESSES) statuses.push((await app.inject({ method: 'POST', url: `/${access}` })).statusCode);
    expect(statuses).toEqual([403, 200, 200, 403, 200]);
    expect((await app.inject({ method: 'POST', url: '/operator' })).json()).toEqual({
      error: 'forbidden',
      message: 'Only the user who runs this daemon may call it; other users need a member token.',
    });
    expect((await app.inject('/socket')).statusCode).toBe(403);
  });

  it('that cannot be told refuses the request with the reason', async () => {
    const isForeignPeer = () => {
      throw new MeshError('overloaded', 'Too many connections.');
    };
    const { app } = await aServer({ isForeignPeer });
    app.get('/own', async () => null);
    const answer = await app.inject('/own');
    expect([answer.statusCode, answer.json()]).toEqual([
      503,
      { error: 'overloaded', message: 'Too many connections.' },
    ]);
  });

  it('may prove itself with every request that the guard admits', async () => {
    const noted: (string | undefined)[] = [];
    const { app } = await aServer({
      noteOperator: ({ url }) => void noted.push(url),
      refuse: (access) => (access === 'card' ? { code: 'forbidden_origin', message: 'No.' } : undefined),
    });
    for (const access of ACCESSES) app.get(`/${access}`, { config: { access } }, async () => null);
    for (const access of ACCESSES) await app.inject(`/${access}`);
    expect(noted).toEqual(['/operator', '/bearer', '/public', '/page']);
  });
});

describe('the sockets of a server', () => {
  async function withSocket(setup?: Setup) {
    const { app, lines } = await aServer(setup);
    const received: number[] = [];
    app.get('/socket', { config: { socket: true }, websocket: true }, (socket) => {
      socket.on('message', (message: Buffer) => received.push(message.length));
      socket.on('message', () => socket.send('read'));
    });
    app.get('/broken', { config: { socket: true }, websocket: true }, () => {
      throw new Error('cable broken');
    });
    return { app, lines, received, port: await listen(app) };
  }

  it('take a message of the largest size and no larger one', async () => {
    const { port, received } = await withSocket();
    const { socket, closed } = await opened(port);
    socket.send(Buffer.alloc(SOCKET_FRAME_LIMIT));
    await once(socket, 'message');
    socket.send(Buffer.alloc(SOCKET_FRAME_LIMIT + 1));
    expect([await closed, received]).toEqual([1009, [SOCKET_FRAME_LIMIT]]);
  });

  it('take a message in 32 fragments and in no more', async () => {
    const { port, received } = await withSocket();
    const { socket, closed } = await opened(port);
    const send = (fragments: number) => {
      for (let number = 1; number <= fragments; number += 1) socket.send('x', { fin: number === fragments });
    };
    send(32);
    await once(socket, 'message');
    send(33);
    expect([await closed, received]).toEqual([1008, [32]]);
  });

  it('do not compress, although the client offers it', async () => {
    const { port } = await withSocket();
    expect((await opened(port)).socket.extensions).toBe('');
  });

  it('are cut when their handler fails, which only a log at debug tells', async () => {
    const { port, lines } = await withSocket({ level: 'debug' });
    expect(await (await opened(port, '/broken')).closed).toBe(1006);
    expect(lines.filter(({ level }) => Number(level) >= 40)).toEqual([]);
    expect(lines).toContainEqual(
      expect.objectContaining({ msg: 'socket failed', err: expect.objectContaining({ message: 'cable broken' }) }),
    );
  });

  it('are left to their features when the server closes', async () => {
    const { app } = await aServer();
    app.get('/socket', { config: { socket: true }, websocket: true }, (socket) => {
      app.server.once('stopping', () => socket.close(4001));
    });
    app.addHook('preClose', (done) => {
      app.server.emit('stopping');
      done();
    });
    const { closed } = await opened(await listen(app));
    await app.close();
    expect(await closed).toBe(4001);
  });
});

describe('the log of a server', () => {
  it('has a line for each answer at debug and trace only', async () => {
    const logged = async (level: string) => {
      const { app, lines } = await aServer({ level });
      app.put<{ Params: { name: string } }>('/lamps/:name', async () => 'lit');
      await app.inject({ method: 'PUT', url: '/lamps/a' });
      return lines.filter(({ msg }) => msg !== 'listening');
    };
    const line = { msg: 'answered', method: 'PUT', route: '/lamps/:name', status: 200, ms: expect.any(Number) };
    for (const level of ['debug', 'trace']) {
      const lines = await logged(level);
      expect(lines.filter(({ msg }) => msg === 'answered')).toMatchObject([line]);
      expect(lines.filter(({ msg }) => /incoming|completed/.test(msg))).toEqual([]);
    }
    expect(await logged('info')).toEqual([]);
  });

  it('holds no credentials, whether they are fields or within a text', async () => {
    const { app, lines } = await aServer();
    app.log.info({ headers: { authorization: 'abc' }, lamp: { token: 'abc' }, boat: { secret: 'abc' } }, 'first');
    app.log.info(`key sk-ant-${'api03-'.repeat(2)}${'Ab1'.repeat(20)}`);
    expect(lines[0]).toEqual({
      level: 30,
      time: expect.any(Number),
      headers: { authorization: '[Redacted]' },
      lamp: { token: '[Redacted]' },
      boat: { secret: '[Redacted]' },
      msg: 'first',
    });
    expect(lines[1]?.msg).toMatch(/^key /);
    expect(lines[1]?.msg).not.toContain('Ab1');
  });

  it('names the request in its lines, and limits warnings that a caller can repeat', async () => {
    const { app, lines } = await aServer();
    app.get('/', async () => Promise.reject(new MeshError('store_readonly', 'The disk failed.')));
    for (let times = 0; times < 15; times += 1) await app.inject('/');
    expect(lines).toHaveLength(10);
    expect(new Set(lines.map(({ reqId }) => reqId)).size).toBe(10);
  });
});

describe('the answers of a server', () => {
  it('are told with the route and area they belong to', async () => {
    const answered: AnsweredRequest[] = [];
    const { app } = await aServer({ onAnswered: (request) => void answered.push(request) });
    app.get('/lamps/:name', { schema: { tags: ['lamps', 'lights'] } }, async () => 'lit');
    app.post('/untagged', { schema: {} }, async () => Promise.reject(new MeshError('not_found', 'None.')));
    app.get('/bare', async () => 'bare');
    await app.inject('/lamps/a');
    await app.inject({ method: 'POST', url: '/untagged' });
    await app.inject('/bare');
    await app.inject('/nothing');
    const ms = expect.any(Number);
    expect(answered).toEqual([
      { method: 'GET', route: '/lamps/:name', area: 'lamps', status: 200, ms },
      { method: 'POST', route: '/untagged', area: undefined, status: 404, ms },
      { method: 'GET', route: '/bare', area: undefined, status: 200, ms },
      { method: 'GET', route: undefined, area: undefined, status: 404, ms },
    ]);
  });

  it('401, 402 and 429 to programs are told, and no other', async () => {
    const refused: unknown[] = [];
    const { app } = await aServer({
      onRefused: ({ request, status, route }) => void refused.push([request.url, status, route]),
    });
    const codes = ['unauthorized', 'payment_required', 'too_many_requests', 'bad_request'] as const;
    const refuse = (code: (typeof codes)[number]) => () => Promise.reject(new MeshError(code, 'No.'));
    for (const code of codes)
      for (const access of ACCESSES) app.get(`/:name/${access}/${code}`, { config: { access } }, refuse(code));
    for (const code of codes) for (const access of ACCESSES) await app.inject(`/a/${access}/${code}`);
    const rows = ([code, status]: readonly [string, number]) =>
      ['bearer', 'public'].map((access) => [`/a/${access}/${code}`, status, `/:name/${access}/${code}`]);
    const told = [
      ['unauthorized', 401],
      ['payment_required', 402],
      ['too_many_requests', 429],
    ] as const;
    expect(refused).toEqual(told.flatMap(rows));
  });

  it('401 to programs need nobody who is told', async () => {
    const { app } = await aServer();
    const refuse = () => Promise.reject(new MeshError('unauthorized', 'No.'));
    app.get('/', { config: { access: 'public' } }, refuse);
    expect((await app.inject('/')).statusCode).toBe(401);
  });

  it('that are written already are sent unchanged, also as JSON', async () => {
    const { app } = await aServer();
    app.get('/written', (_request, reply) => reply.type('application/json').send(Buffer.from('"a\u202eb"')));
    expect((await app.inject('/written')).body).toBe('"a\u202eb"');
  });

  it('are escaped in event loop ticks of their own when they are large', async () => {
    const { app } = await aServer();
    let ticks = 0;
    let isDone = false;
    const tick = () => {
      ticks += 1;
      if (!isDone) setImmediate(tick);
    };
    app.addHook('preSerialization', async () => void setImmediate(tick));
    app.addHook('onSend', async (_request, reply) => {
      isDone = true;
      void reply.header('x-ticks', String(ticks));
    });
    app.get<{ Params: { chars: number } }>('/:chars', async ({ params }) => [`\u202e${'x'.repeat(params.chars - 5)}`]);
    const send = async (chars: number) => {
      ticks = 0;
      isDone = false;
      const { body, headers } = await app.inject(`/${chars}`);
      expect(body).toBe(`["\\u202e${'x'.repeat(chars - 5)}"]`);
      return Number(headers['x-ticks']);
    };
    expect(await send(65_536)).toBe(0);
    expect(await send(65_537)).toBeGreaterThanOrEqual(2);
  });
});
