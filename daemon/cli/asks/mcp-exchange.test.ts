import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { McpBridge } from './mcp-bridge.js';
import { exchange, type RpcMessage, UnansweredError } from './mcp-exchange.js';

/** Returns the address of a server that ends with the test. */
async function serving(handle: RequestListener): Promise<string> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An address at which nothing listens. */
async function deserted(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

const post = (url: string) =>
  exchange({ method: 'POST', url, headers: {}, body: { id: 1 }, signal: AbortSignal.timeout(10_000) });
const STREAM = { 'content-type': 'text/event-stream' };
const FIRST = 'data: {"id":0}\n\n';
/** A message in two lines. */
const EVENT = 'data: {"id":1,\ndata: "method":"é"}';

describe('the messages of a stream', () => {
  it.each([
    ['before an event', '', '\n'],
    ['in a key', 'data: {"id', '\n'],
    ['in a character', 'data: {"id":1,\ndata: "method":"\u00c3', '\n'],
    ['before the end of the last line', EVENT, '\n'],
    ['between the two ends of a line', `${EVENT}\n`, '\n'],
    ['within the end of a line', `${EVENT}\r\n\r`.replaceAll(',\n', ',\r\n'), '\r\n'],
  ])('arrive whole when a chunk ends %s', async (_where, start, newline) => {
    const bytes = Buffer.from(`${EVENT}\n\n`.replaceAll('\n', newline));
    let goOn: () => void = () => undefined;
    const url = await serving((_request, response) => {
      response.writeHead(200, STREAM);
      response.write(Buffer.concat([Buffer.from(FIRST), bytes.subarray(0, start.length)]));
      goOn = () => response.end(bytes.subarray(start.length));
    });
    const messages: RpcMessage[] = [];
    for await (const message of (await post(url)).messages()) {
      messages.push(message);
      if (message.id === 0) goOn();
    }
    expect(messages).toEqual([{ id: 0 }, { id: 1, method: 'é' }]);
  });

  it('end where the stream breaks', async () => {
    let breakOff: () => void = () => undefined;
    const url = await serving((_request, response) => {
      response.writeHead(200, STREAM);
      response.write(`${FIRST}data: {"id":1`);
      breakOff = () => response.destroy();
    });
    const messages: RpcMessage[] = [];
    for await (const message of (await post(url)).messages()) {
      messages.push(message);
      breakOff();
    }
    expect(messages).toEqual([{ id: 0 }]);
  });
});

describe('a request without a response', () => {
  it('may have arrived once the daemon was connected, and has not when nothing listens', async () => {
    const cut = await serving((request) => void request.socket.destroy());
    await expect(post(cut)).rejects.toMatchObject({ name: UnansweredError.name, mayHaveArrived: true });
    await expect(post(await deserted())).rejects.toMatchObject({ name: UnansweredError.name, mayHaveArrived: false });
  });

  /** Sends one request through a bridge that finds the daemon at one of `urls` after the other. */
  async function ask(...urls: string[]): Promise<RpcMessage[]> {
    const written: RpcMessage[] = [];
    const bridge = new McpBridge({
      find: async () => ({ url: (urls.length > 1 ? urls.shift() : urls[0]) ?? '', token: 't' }),
      write: (message) => void written.push(message),
      note: () => undefined,
    });
    bridge.receive(JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'ask' } }));
    await bridge.settle();
    return written;
  }

  it('is sent again by the bridge only when it cannot have arrived: no question is asked twice', async () => {
    let arrived = 0;
    const cut = await serving((request) => {
      request.resume().once('end', () => {
        arrived += 1;
        request.socket.destroy();
      });
    });
    expect(await ask(cut)).toMatchObject([{ id: 7, error: { code: -32_000 } }]);
    expect(arrived).toBe(1);
    const answering = await serving((_request, response) => void response.end('{"jsonrpc":"2.0","id":7,"result":{}}'));
    expect(await ask(await deserted(), answering)).toEqual([{ jsonrpc: '2.0', id: 7, result: {} }]);
  });
});
