import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { EXIT } from '../exit-codes.js';
import { WallLine } from './wall-line.js';

const PING_EVERY_MS = 25_000;
const QUIET_LIMIT_MS = 60_000;
const READY = { kind: 'ready', you: 'ada' };

/** A Wall that greets, or refuses with a status. Returns a line to it, and the daemon's end of it. */
async function connect(refusal?: number): Promise<{ line: WallLine; peer: WebSocket }> {
  const server = new WebSocketServer({
    host: '127.0.0.1',
    port: 0,
    ...(refusal !== undefined && { verifyClient: (_info, done) => done(false, refusal) }),
  });
  onTestFinished(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  await new Promise((resolve) => server.once('listening', resolve));
  const joined = new Promise<WebSocket>((resolve) => server.once('connection', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const line = await WallLine.open({ address, id: 'c_1', headers: {} }, 'ada', 'public');
  onTestFinished(() => line.close());
  const peer = await joined;
  peer.send(JSON.stringify(READY));
  expect(await line.next()).toEqual(READY);
  return { line, peer };
}

describe('the line to a Wall', () => {
  it.each([
    [4000, EXIT.notFound, 'was deleted'],
    [4401, EXIT.refused, 'no longer valid'],
    [4408, EXIT.failed, 'not read in time'],
    [1008, EXIT.refused, 'too many messages'],
    [1009, EXIT.usage, '65,536 bytes'],
    [1001, EXIT.unreachable, 'closed the line'],
  ])('ends by the code %i with the exit status %i, after its last frame', async (code, exit, message) => {
    const { line, peer } = await connect();
    peer.send(JSON.stringify(READY));
    peer.close(code);
    expect(await line.next()).toEqual(READY);
    await expect(line.next()).rejects.toMatchObject({ exit, message: expect.stringContaining(message) });
  });

  it.each([
    [400, EXIT.usage, 'handle'],
    [401, EXIT.refused, 'token'],
    [429, EXIT.refused, 'wait a minute'],
    [503, EXIT.failed, '503'],
  ])('is refused by the status %i with the exit status %i', async (status, exit, message) => {
    await expect(connect(status)).rejects.toMatchObject({ exit, message: expect.stringContaining(message) });
  });

  it('stays open on a silent Wall while the daemon pings, and ends after a minute without', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { line, peer } = await connect();
    for (let pings = 0; pings < 5; pings += 1) {
      vi.advanceTimersByTime(PING_EVERY_MS);
      const heard = new Promise<string>((resolve) => {
        peer.once('pong', () => resolve('open'));
        peer.once('close', () => resolve('closed'));
      });
      peer.ping();
      expect(await heard, `ping ${pings}`).toBe('open');
    }
    const ended = line.next();
    vi.advanceTimersByTime(QUIET_LIMIT_MS);
    await expect(ended).rejects.toMatchObject({ exit: EXIT.unreachable });
  });
});
