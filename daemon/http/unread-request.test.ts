import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { rawRequest } from '../testing/raw-request.js';
import { refuseUnread } from './unread-request.js';

describe('a request that never became whole', () => {
  it.each([
    ['HPE_HEADER_OVERFLOW', 431, 'too_large', 'too large'],
    ['ERR_HTTP_REQUEST_TIMEOUT', 408, 'deadline', 'in time'],
    ['HPE_INVALID_METHOD', 400, 'bad_request', 'malformed'],
  ])('is refused by what was wrong with it: %s', async (code, status, error, words) => {
    const server = createServer(({ socket }) => refuseUnread(Object.assign(new Error(code), { code }), socket));
    server.listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const reply = await rawRequest((server.address() as AddressInfo).port, ['GET / HTTP/1.1', 'Host: x']);
    expect(reply.status).toBe(status);
    expect(JSON.parse(reply.body)).toEqual({ error, message: expect.stringContaining(words) });
  });
});
