import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { rawRequest } from '../../testing/processes/raw-request.js';
import type { Answering } from './unread-answer.js';
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

/** What a connection in a given state gets for a request that failed with `code`; `cut` without a refusal. */
function getRefusal(code: string | undefined, state: object = {}): string {
  let sent = '';
  const socket = { writable: true, end: (text: string) => (sent += text), destroy: () => (sent += 'cut'), ...state };
  refuseUnread(Object.assign(new Error('x'), code === undefined ? {} : { code }), socket as unknown as Answering);
  return sent;
}

const refusal = (status: string, body: string) =>
  [
    `HTTP/1.1 ${status}`,
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');

describe('a bare refusal', () => {
  it.each([
    [
      'HPE_HEADER_OVERFLOW',
      '431 Request Header Fields Too Large',
      '{"error":"too_large","message":"The headers of the request are too large."}',
    ],
    [
      'ERR_HTTP_REQUEST_TIMEOUT',
      '408 Request Timeout',
      '{"error":"deadline","message":"The request did not arrive whole in time: send it again."}',
    ],
    ['HPE_ANY', '400 Bad Request', '{"error":"bad_request","message":"The request is malformed."}'],
    [undefined, '400 Bad Request', '{"error":"bad_request","message":"The request is malformed."}'],
  ])('is a whole response, after which the connection closes: %s', (code, status, body) => {
    expect(getRefusal(code)).toBe(refusal(status, body));
  });

  it.each([
    ['no response was ever there', {}],
    ['no response is in progress', { _httpMessage: null }],
    ['the headers of the response are not sent', { _httpMessage: { headersSent: false } }],
  ])('is sent while %s', (_state, state) => {
    expect(getRefusal('HPE_ANY', state)).toMatch(/^HTTP/);
  });

  it.each([
    ['the connection was reset', 'ECONNRESET', {}],
    ['nothing can be sent any more', 'HPE_ANY', { writable: false }],
    ['another response is half sent', 'HPE_ANY', { _httpMessage: { headersSent: true } }],
  ])('is not sent when %s', (_state, code, state) => {
    expect(getRefusal(code, state)).toBe('cut');
  });
});
