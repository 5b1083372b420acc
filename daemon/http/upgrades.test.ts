import { createServer } from 'node:http';
import { Duplex } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { waitForTick } from '../lib/async/loop-ticks.js';
import { asksUpgrade, PlainMessage } from './upgrades.js';

const HEAD = 'Host: x\r\nConnection: Upgrade, HTTP2-Settings\r\n';
const TO_HTTP_2 = `${HEAD}Upgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n`;
const NEXT = 'GET /next HTTP/1.1\r\nHost: x\r\n\r\n';

/** Sends packets over a connection and returns what the server was given: requests, and connections to upgrade. */
async function givenFor(...packets: readonly string[]): Promise<string[]> {
  const given: string[] = [];
  const server = createServer({ IncomingMessage: PlainMessage }, (request, response) => {
    const at = given.push(`${request.method} ${request.url} `) - 1;
    request.on('data', (chunk) => (given[at] += String(chunk)));
    response.end();
  });
  for (const event of ['upgrade', 'connect'])
    server.on(event, ({ url }: PlainMessage, _socket, rest: Buffer) => given.push(`${event} ${url} ${rest}`));
  const stream = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  const socket = Object.assign(stream, { bytesRead: 0 });
  onTestFinished(() => void socket.destroy());
  server.emit('connection', socket);
  for (const packet of packets) {
    if (socket.destroyed || packet === '') continue;
    socket.bytesRead += packet.length;
    socket.push(packet);
    await waitForTick();
  }
  return given;
}

describe('an upgrade', () => {
  it.each([
    ['h2c', false],
    ['websocket', true],
    ['WebSocket', true],
    ['h2c, websocket', true],
    ['h2c,\twebSocket ,foo', true],
    ['websocket/13', false],
    ['websockets', false],
    ['', false],
  ])('to %j is for Node.js: %s', async (protocols, isOne) => {
    expect(asksUpgrade({ headers: { upgrade: protocols } })).toBe(isOne);
    const given = await givenFor(`GET / HTTP/1.1\r\n${HEAD}Upgrade: ${protocols}\r\n\r\n`);
    expect(given).toEqual([isOne ? 'upgrade / ' : 'GET / ']);
  });

  it('is none without the header that names it, nor is a plain request', async () => {
    expect(await givenFor('GET /a HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n\r\n', NEXT)).toHaveLength(2);
    expect(asksUpgrade({ headers: {} })).toBe(false);
  });

  it('of a tunnel stays one, whatever its headers say', async () => {
    expect(await givenFor('CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n')).toEqual(['connect x:1 ']);
    expect(await givenFor(`CONNECT x:1 HTTP/1.1\r\n${TO_HTTP_2}\r\n`)).toEqual(['connect x:1 ']);
  });
});

describe('an upgrade to HTTP/2', () => {
  const get = `GET /a HTTP/1.1\r\n${TO_HTTP_2}\r\n`;
  const headOfPost = `POST /a HTTP/1.1\r\n${TO_HTTP_2}`;
  const post = `${headOfPost}Content-Length: 2\r\n\r\nhi`;
  const chunked = `${headOfPost}Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n`;

  const none = `${headOfPost}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`;

  /** The request in two packets, divided at each of these places from its end. */
  const divided = (request: string, places: readonly number[]) =>
    places.map((at) => [request.slice(0, at), request.slice(at)] as const);

  it('is a plain request, and its connection takes the next', async () => {
    const next = 'GET /next ';
    expect(await givenFor(get, NEXT, get)).toEqual(['GET /a ', next, 'GET /a ']);
    for (const [one, two] of divided(get, [-1, -2, -3, -4, -20]))
      expect(await givenFor(one, two, NEXT)).toEqual(['GET /a ', next]);
    for (const request of [post, chunked]) {
      expect(await givenFor(request, NEXT, request)).toEqual(['POST /a hi', next, 'POST /a hi']);
      for (const [one, two] of divided(request, [-1, -2]))
        expect(await givenFor(one, two, NEXT)).toEqual(['POST /a hi', next]);
    }
    for (const [one, two] of divided(post, [-3, -4, -20]))
      expect(await givenFor(one, two, NEXT)).toEqual(['POST /a hi', next]);
    for (const [one, two] of divided(chunked, [-3, -4, -5, -6, -7, -8, -9, -12, -13, -40]))
      expect(await givenFor(one, two, NEXT)).toEqual(['POST /a hi', next]);
    for (const [one, two] of [['', none] as const, ...divided(none, [-5, -6, -7, -9])])
      expect(await givenFor(one, two, NEXT)).toEqual(['POST /a ', next]);
    const large = `${headOfPost}Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n4\r\n you\r\n0\r\n\r\n`;
    for (const [one, two] of divided(large, [-16, -14, -11, -9, -7]))
      expect(await givenFor(one, two, NEXT)).toEqual(['POST /a hi you', next]);
  });

  it('with more in its packet ends the connection, so that nothing behind it is read as a request', async () => {
    const tail = '\r\n\r\n0\r\n\r\n';
    for (const more of [NEXT, NEXT.slice(0, 9), 'x', `${NEXT}${chunked}`, `x${tail}`]) {
      for (const request of [get, post, chunked, none]) {
        const [first = ''] = await givenFor(request);
        expect(await givenFor(`${request}${more}`, NEXT)).toEqual([first]);
        for (const [one, two] of divided(request, [-1, -2, -3, -4, -5, -6, -7, -8, -9, -20]))
          expect(await givenFor(one, `${two}${more}`, NEXT)).toEqual([first]);
      }
    }
  });

  it('that comes behind another request in a packet ends the connection, since its own end is not told', async () => {
    expect(await givenFor(`${NEXT}${get}`, NEXT)).toEqual(['GET /next ', 'GET /a ']);
    expect(await givenFor(`${NEXT}${post}`, NEXT)).toEqual(['GET /next ', 'POST /a hi']);
  });
});
