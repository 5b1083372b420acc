import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { askHealth, askObject } from './ask-health.js';

async function aListener(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('askObject', () => {
  it.each<[string, unknown]>([
    ['{"ok":true}', { ok: true }],
    ['{}', {}],
    ['[1]', [1]],
    ['null', 'gone'],
    ['7', 'gone'],
    ['"word"', 'gone'],
    ['', 'gone'],
    ['<html>', 'gone'],
    ['{"torn":', 'gone'],
  ])('returns the object in %j, and takes anything else for another program', async (text, found) => {
    const address = await aListener((_request, response) => response.end(text));
    expect(await askObject(address, {})).toEqual(found);
  });

  it('asks with its headers, and takes any status', async () => {
    const address = await aListener(({ method, url, headers }, response) => {
      const { accept, connection, 'x-own': own } = headers;
      response.writeHead(404).end(JSON.stringify({ method, url, accept, connection, own }));
    });
    expect(await askObject(`${address}/a?b=c`, { 'x-own': 'mine' })).toEqual({
      ...{ method: 'GET', url: '/a?b=c', accept: 'application/json', connection: 'close', own: 'mine' },
    });
  });

  it('follows no redirect', async () => {
    const other = await aListener((_request, response) => response.end('{"from":"elsewhere"}'));
    const address = await aListener((_request, response) => response.writeHead(302, { location: other }).end('{}'));
    expect(await askObject(address, {})).toEqual({});
  });

  it('reads an object of 64 KiB, and not one that is much larger', async () => {
    let chars = 65_536;
    const address = await aListener((_request, response) => response.end(`{"a":"${'x'.repeat(chars - 8)}"}`));
    expect(await askObject(address, {})).toEqual({ a: 'x'.repeat(65_528) });
    chars = 1024 * 1024;
    expect(await askObject(address, {})).toBe('gone');
  });

  it('calls a port gone where nothing listens, or whose connection breaks', async () => {
    const address = await aListener((_request, response) => response.destroy());
    expect(await askObject(address, {})).toBe('gone');
    const closed = createTcpServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    expect(await askObject(`http://127.0.0.1:${port}`, {})).toBe('gone');
    const torn = await aListener((_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"a":');
      response.destroy();
    });
    expect(await askObject(torn, {})).toBe('gone');
  });
});

it('the health of a daemon is asked with the nonce that it must prove', async () => {
  const address = await aListener(({ method, url }, response) =>
    response.end(JSON.stringify({ asked: [method, url] })),
  );
  expect(await askHealth(address, 'abc')).toEqual({ asked: ['GET', '/health?nonce=abc'] });
});
