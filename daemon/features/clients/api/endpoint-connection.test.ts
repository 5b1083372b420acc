import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EndpointConnection } from './endpoint-connection.js';
import { TurnError } from './turn-failure.js';

/** A server that answers as the test says, and a connection to it. */
async function connected(answer: RequestListener) {
  const seen: { method: string | undefined; headers: Record<string, unknown>; body: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    seen.push({ method: request.method, headers: request.headers, body });
    answer(request, response);
  });
  // The server ends no connection by itself.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const connection = new EndpointConnection(`${origin}/v1`);
  onTestFinished(() => {
    connection.close();
    server.closeAllConnections();
    server.close();
  });
  return { connection, origin, seen, server };
}

describe('the connection to an endpoint', () => {
  it('sends the request as it is and gives the response', async () => {
    const { connection, origin, seen } = await connected((_, response) => {
      response.writeHead(201, [
        ['x-one', 'a'],
        ['x-one', 'b'],
      ]);
      response.end('Words.');
    });
    const response = await connection.fetch(`${origin}/v1/chat`, {
      method: 'POST',
      headers: { 'x-key': 'k' },
      body: '{"a":1}',
    });
    expect([response.status, response.headers.get('x-one'), await response.text()]).toEqual([201, 'a, b', 'Words.']);
    expect(seen).toMatchObject([
      { method: 'POST', headers: { 'x-key': 'k', 'accept-encoding': 'identity' }, body: '{"a":1}' },
    ]);
  });

  it('gets where no method is named, and lets the encoding be chosen', async () => {
    const { connection, origin, seen } = await connected((_, response) => response.end());
    await (await connection.fetch(`${origin}/v1`, { headers: { 'accept-encoding': 'br' } })).text();
    await (await connection.fetch(new URL(`${origin}/v1`))).text();
    expect(seen).toMatchObject([{ method: 'GET', headers: { 'accept-encoding': 'br' }, body: '' }, { method: 'GET' }]);
  });

  it('calls no other origin', async () => {
    const { connection, origin, seen } = await connected((_, response) => response.end());
    const other = origin.replace('127.0.0.1', 'localhost');
    const refusal = connection.fetch(`${other}/v1`);
    await expect(refusal).rejects.toThrow(TurnError);
    await expect(refusal).rejects.toThrow(`Only ${origin} is called, and this was for ${other}.`);
    expect(seen).toEqual([]);
  });

  it('takes addresses and texts only', async () => {
    const { connection, origin } = await connected((_, response) => response.end());
    await expect(connection.fetch(new Request(origin))).rejects.toThrow('An address is needed, not a Request.');
    const post = (body: RequestInit['body']) =>
      connection.fetch(`${origin}/v1`, { method: 'POST', body: body ?? null });
    await expect(post(new Uint8Array(1))).rejects.toThrow('A body must be a text.');
    expect((await post(null)).status).toBe(200);
  });

  it.each([300, 301, 307, 399])('follows no redirect: %i', async (status) => {
    const { connection, origin, seen } = await connected((_, response) => {
      response.writeHead(status, { location: '/elsewhere' }).end();
    });
    await expect(connection.fetch(`${origin}/v1`)).rejects.toThrow(
      `The endpoint at ${origin} answered with a redirect (${status}), which is not followed: set ` +
        'MESHD_API_BASE_URL to its final address.',
    );
    expect(seen).toHaveLength(1);
  });

  it('does not wait for the words of a redirect', async () => {
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const { connection, origin } = await connected((_, response) => {
      response.on('close', end).writeHead(307).write('x');
    });
    await expect(connection.fetch(`${origin}/v1`)).rejects.toThrow('redirect (307)');
    await ended;
  });

  it.each([204, 299, 400, 500])('gives a response of status %i', async (status) => {
    const { connection, origin } = await connected((_, response) => response.writeHead(status).end());
    const response = await connection.fetch(`${origin}/v1`);
    expect([response.status, await response.text()]).toEqual([status, '']);
  });

  it.each([
    [200, 32 * 1024],
    [299, 32 * 1024],
    [400, 64],
    [500, 64],
  ])('reads an answer of status %i up to %i KiB', async (status, kib) => {
    let chars = kib * 1024;
    const { connection, origin } = await connected((_, response) => {
      response.writeHead(status).end('x'.repeat(chars));
    });
    const read = async () => (await (await connection.fetch(`${origin}/v1`)).arrayBuffer()).byteLength;
    expect(await read()).toBe(kib * 1024);
    chars += 1;
    await expect(read()).rejects.toThrow(`The endpoint at ${origin} sent more than ${kib} KiB in one answer.`);
  });

  it('throws the reason of the signal, and else the error of the system', async () => {
    const { connection, origin, server } = await connected(() => undefined);
    const off = new AbortController();
    const waiting = connection.fetch(`${origin}/v1`, { signal: off.signal });
    off.abort(new Error('late'));
    await expect(waiting).rejects.toThrow('late');
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await expect(connection.fetch(`${origin}/v1`, { signal: new AbortController().signal })).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    });
  });

  it('keeps one connection for several requests, and ends it at the close', async () => {
    let opened = 0;
    const { connection, origin, server } = await connected((_, response) => response.end('x'));
    const closed = new Promise<void>((resolve) => {
      server.on('connection', (socket) => {
        opened += 1;
        socket.on('close', () => resolve());
      });
    });
    for (let index = 0; index < 3; index += 1) {
      await (await connection.fetch(`${origin}/v1`)).text();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(opened).toBe(1);
    connection.close();
    connection.close();
    await closed;
  });

  it('goes over TLS where the address says so', async () => {
    const { origin } = await connected((_, response) => response.end());
    const secure = origin.replace('http:', 'https:');
    const connection = new EndpointConnection(secure);
    onTestFinished(() => connection.close());
    await expect(connection.fetch(`${secure}/v1`)).rejects.toMatchObject({ code: expect.stringMatching(/SSL|EPROTO/) });
  });
});
