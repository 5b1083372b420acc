import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { rawRequest } from '../../testing/processes/raw-request.js';
import { refuseUnread } from './unread-request.js';

describe('a request that was never complete', () => {
  it.each([
    ['HPE_HEADER_OVERFLOW', 431, 'too_large', 'too large'],
    ['ERR_HTTP_REQUEST_TIMEOUT', 408, 'deadline', 'in time'],
    ['HPE_INVALID_METHOD', 400, 'bad_request', 'malformed'],
  ])('is refused with the status of its error: %s', async (code, status, error, words) => {
    const server = createServer(({ socket }) => refuseUnread(Object.assign(new Error(code), { code }), socket));
    server.listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const reply = await rawRequest((server.address() as AddressInfo).port, ['GET / HTTP/1.1', 'Host: x']);
    expect(reply.status).toBe(status);
    expect(JSON.parse(reply.body)).toEqual({ error, message: expect.stringContaining(words) });
  });

  it('is not refused in the middle of another response: the connection ends', async () => {
    const server = createServer((_request, answer) => void answer.write('the first half'));
    server.on('clientError', refuseUnread);
    server.listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    let text = '';
    client.on('data', (chunk) => (text += String(chunk)));
    client.on('error', () => undefined);
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    while (!text.includes('the first half')) await once(client, 'data');
    client.write('no request\r\n\r\n');
    await once(client, 'close');
    expect(text).not.toContain('malformed');
  });
});
