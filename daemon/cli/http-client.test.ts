import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { HttpClient } from './http-client.js';

/** A client of a server that answers with `answer`. */
async function clientOf(answer: RequestListener): Promise<HttpClient> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return new HttpClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

it.each([
  [{ id: 'f00d' }, 'The daemon failed; it logged why as f00d in .mesh/state/daemon.log.'],
  [{ message: 'meshd was replaced.' }, 'meshd was replaced.'],
])('tells of a failed daemon what it logged, or what it says (%o)', async (body, message) => {
  const client = await clientOf((_request, response) =>
    response.writeHead(500).end(JSON.stringify({ error: 'internal', ...body })),
  );
  await expect(client.get('/team')).rejects.toMatchObject({ code: 'internal', message, exit: 1 });
});

it.each([
  [404, '<html>', { exit: 4, code: 'internal', message: 'The daemon answered 404 with no reason.' }],
  [302, '', { exit: 5, code: 'internal', message: 'The daemon answered 302 with no reason.' }],
  [400, { error: 'secret_in_member_file', message: 'It holds a key.' }, { exit: 5, code: 'secret_in_member_file' }],
  [409, { error: 'conflict', message: 'Taken.', id: 'f00d' }, { exit: 6, code: 'conflict', message: 'Taken.' }],
])('tells why a request was refused with %d', async (status, body, failure) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type = typeof body === 'string' ? 'text/html' : 'application/json';
  const client = await clientOf((_request, response) =>
    response.writeHead(status, { 'content-type': type, location: '/elsewhere' }).end(text),
  );
  await expect(client.get('/team')).rejects.toMatchObject(failure);
});

it('sends every byte of a body', async () => {
  const client = await clientOf(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    response.writeHead(200, { 'content-type': 'application/json' }).end(Buffer.concat(parts));
  });
  const body = { text: 'Lämpchen – 💡' };
  expect(await client.send('POST', '/echo', { body })).toEqual(body);
});

it.each<[string, RequestListener, number, string, string]>([
  ['never begins', () => undefined, 100, 'timed_out', 'did not answer within 0 s.'],
  ['never ends', (_request, response) => void response.write('{'), 100, 'timed_out', 'did not answer within 0 s.'],
  [
    'breaks off',
    (_request, response) => void response.write('{', () => response.socket?.resetAndDestroy()),
    30_000,
    'broken_off',
    'broke off its answer.',
  ],
])('tells of an answer that %s', async (_how, answer, timeoutMs, reason, words) => {
  const client = await clientOf(answer);
  await expect(client.get('/team', { timeoutMs })).rejects.toMatchObject({
    exit: 3,
    code: 'unreachable',
    message: `The daemon at ${client.address} ${words}`,
    details: { reason },
  });
});

it('tells that nothing listens any more', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  await expect(new HttpClient(`http://127.0.0.1:${port}`).get('/team')).rejects.toMatchObject({
    exit: 3,
    message: `The daemon at http://127.0.0.1:${port} is not listening any more: start it with \`meshd up\`.`,
    details: { reason: 'refused' },
  });
});
