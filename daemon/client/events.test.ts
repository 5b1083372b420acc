import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type TestApp, testApp } from '../testing/apps/test-app.js';
import { FailingSocket } from '../testing/stand-ins/failing-socket.js';
import type { Daemon } from './daemon.js';
import { events, watchEvents } from './events.js';
import { SILENCE_LIMIT_MS } from './reconnect-policy.js';

const at = (app: TestApp): Daemon => ({ address: app.address, WebSocket });
const listSockets = ({ daemon }: TestApp) =>
  (daemon.app as unknown as { websocketServer: { clients: Set<WebSocket> } }).websocketServer.clients;

/** The next frame as its type and id. */
async function next(from: AsyncGenerator<{ type: string; seq: number }>): Promise<string> {
  const { value } = await from.next();
  return value ? `${value.type}${'id' in value ? ` ${value.id}` : ''}` : 'the end';
}

describe('events of the client library', () => {
  it('start with a hello and report what happens; leaving the loop closes the connection', async () => {
    const app = await testApp({ clients: [] });
    const received: string[] = [];
    const closed: Promise<unknown>[] = [];
    for await (const frame of events(at(app))) {
      received.push(frame.type);
      if (frame.type !== 'hello') break;
      expect(frame.members.map(({ id }) => id)).toContain('consultant');
      closed.push(...[...listSockets(app)].map((socket) => once(socket, 'close')));
      app.publish('team.updated', { id: 'consultant' });
    }
    expect(received).toEqual(['hello', 'team.updated']);
    await Promise.all(closed);
    expect(listSockets(app).size).toBe(0);
  });

  it('resume after the connection broke, each frame delivered once', async () => {
    const app = await testApp({ clients: [] });
    const stream = events(at(app));
    expect(await next(stream)).toBe('hello');
    app.publish('team.updated', { id: 'one' });
    expect(await next(stream)).toBe('team.updated one');
    for (const socket of listSockets(app)) socket.terminate();
    app.publish('team.updated', { id: 'two' });
    app.publish('team.updated', { id: 'three' });
    expect([await next(stream), await next(stream)]).toEqual(['team.updated two', 'team.updated three']);
    await stream.return();
  });

  it('start with a hello again after the daemon restarted, because earlier data may be stale', async () => {
    const first = await testApp({ clients: [] });
    let { address } = first;
    const states: string[] = [];
    const stream = events({ address: async () => address, WebSocket }, { onStatus: ({ state }) => states.push(state) });
    expect(await next(stream)).toBe('hello');
    await first.stop();
    const second = await testApp({ root: first.root, clients: [] });
    address = second.address;
    expect(await next(stream)).toBe('hello');
    second.publish('team.updated', { id: 'one' });
    expect(await next(stream)).toBe('team.updated one');
    expect([states.includes('offline') || states.includes('catching_up'), states.at(-1)]).toEqual([true, 'live']);
    await stream.return();
  });

  it('resume after a seq that the program stored', async () => {
    const app = await testApp({ clients: [] });
    const first = events(at(app));
    const { value: hello } = await first.next();
    await first.return();
    app.publish('team.updated', { id: 'meanwhile' });
    const later = events(at(app), { since: hello?.seq ?? expect.fail('no hello') });
    expect(await next(later)).toBe('team.updated meanwhile');
    await later.return();
  });

  it('lose no frame with a slow reader', async () => {
    const app = await testApp({ clients: [] });
    const stream = events(at(app));
    expect(await next(stream)).toBe('hello');
    const [socket] = listSockets(app);
    const letGo = once(socket as WebSocket, 'close');
    for (let i = 0; i < 2_500; i += 1) app.publish('team.updated', { id: String(i) });
    await letGo;
    for (let i = 0; i < 2_500; i += 1) expect(await next(stream)).toBe(`team.updated ${i}`);
    await stream.return();
  });

  it('throw the signal’s reason after an abort, and offline after the last attempt', async () => {
    const app = await testApp({ clients: [] });
    const leaving = new AbortController();
    const left = events(at(app), { signal: leaving.signal });
    expect(await next(left)).toBe('hello');
    const pending = left.next();
    leaving.abort(new Error('enough'));
    await expect(pending).rejects.toThrow('enough');
    await app.stop();
    await expect(events(at(app), { attempts: 1 }).next()).rejects.toMatchObject({ code: 'offline', status: 0 });
  });

  it('throw offline at once with a WebSocket that fires no close for a failed connection', async () => {
    const started = Date.now();
    const daemon = { address: 'http://127.0.0.1:1', WebSocket: FailingSocket };
    await expect(events(daemon, { attempts: 0 }).next()).rejects.toMatchObject({ code: 'offline' });
    expect(Date.now() - started).toBeLessThan(SILENCE_LIMIT_MS);
  });

  it('are passed to a callback, heartbeats included, from start to stop', async () => {
    const app = await testApp({ clients: [] });
    const frames: string[] = [];
    let isTold = () => {};
    const line = watchEvents(at(app), {
      onFrame: ({ type }) => {
        frames.push(type);
        isTold();
      },
    });
    const received = () =>
      new Promise<void>((resolve) => {
        isTold = resolve;
      });
    const hello = received();
    line.start();
    await hello;
    const beat = received();
    app.clock.advance(10_000);
    await beat;
    line.stop();
    expect(frames).toEqual(['hello', 'heartbeat']);
  });

  it('throw without a WebSocket and for an invalid address', () => {
    const onFrame = () => undefined;
    expect(() =>
      watchEvents({ address: 'http://127.0.0.1:1', WebSocket: 'none' as never }, { onFrame }).start(),
    ).toThrow(/package ws/);
    expect(() => watchEvents({ address: 'not an address', WebSocket }, { onFrame }).start()).toThrow(TypeError);
  });
});
