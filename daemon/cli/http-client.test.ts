import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { HttpClient } from './http-client.js';

it.each([
  [{ id: 'f00d' }, 'The daemon failed; it logged why as f00d in .mesh/state/daemon.log.'],
  [{ message: 'meshd was replaced.' }, 'meshd was replaced.'],
])('tells of a failed daemon what it logged, or what it says (%o)', async (body, message) => {
  const server = createServer((_request, response) =>
    response.writeHead(500).end(JSON.stringify({ error: 'internal', ...body })),
  ).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const client = new HttpClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await expect(client.get('/team')).rejects.toMatchObject({ code: 'internal', message, exit: 1 });
});
