import { describe, expect, it } from 'vitest';
import { ManualTimers } from '../testing/manual-timers.js';
import { EventsLine, type LineStatus } from './events-line.js';
import type { Socket } from './socket.js';

class TestSocket implements Omit<Socket, 'send'> {
  onopen: Socket['onopen'] = null;
  onmessage: Socket['onmessage'] = null;
  onclose: Socket['onclose'] = null;
  isClosed = false;
  constructor(readonly since: number | undefined) {}
  close() {
    this.isClosed = true;
  }
  opens() {
    this.onopen?.(undefined as never);
  }
  says(frame: object) {
    this.onmessage?.({ data: JSON.stringify(frame) } as never);
  }
  breaks() {
    this.onclose?.(undefined as never);
  }
}

function aLine(mayConnect?: () => Promise<boolean>) {
  const timers = new ManualTimers();
  const sockets: TestSocket[] = [];
  const statuses: LineStatus[] = [];
  const frames: string[] = [];
  let reconnects = 0;
  const line = new EventsLine({
    open: (since) => {
      const socket = new TestSocket(since);
      sockets.push(socket);
      return socket;
    },
    ...(mayConnect && { mayConnect }),
    timers,
    onFrame: (frame) => frames.push(frame.type),
    onStatus: (status) => statuses.push(status),
    onReconnected: () => {
      reconnects += 1;
    },
  });
  return {
    line,
    timers,
    sockets,
    frames,
    state: () => statuses.at(-1)?.state,
    reconnects: () => reconnects,
    socket: () => sockets.at(-1)!,
  };
}

describe('EventsLine', () => {
  it('is live after the hello', () => {
    const { line, socket, state, frames } = aLine();
    line.start();
    expect(socket().since).toBeUndefined();
    socket().opens();
    expect(state()).toBe('catching_up');
    socket().says({ type: 'hello', seq: 7, ts: 1 });
    expect(state()).toBe('live');
    expect(frames).toEqual(['hello']);
  });

  it('resumes after the last seq it received and reports that earlier data may be stale', () => {
    const { line, socket, sockets, timers, state, reconnects } = aLine();
    line.start();
    socket().says({ type: 'hello', seq: 7, ts: 1 });
    socket().says({ type: 'team.updated', seq: 9, ts: 1, id: 'consultant' });
    socket().breaks();
    expect(state()).toBe('catching_up');
    timers.advance(400);
    expect(sockets).toHaveLength(2);
    expect(socket().since).toBe(9);
    socket().opens();
    expect(state()).toBe('live');
    expect(reconnects()).toBe(1);
  });

  it('resumes after the highest seq, also when a late heartbeat has a lower one', () => {
    const { line, socket, timers } = aLine();
    line.start();
    socket().says({ type: 'hello', seq: 7, ts: 1 });
    socket().says({ type: 'team.updated', seq: 9, ts: 1, id: 'consultant' });
    socket().says({ type: 'heartbeat', seq: 8, ts: 1 });
    socket().breaks();
    timers.advance(400);
    expect(socket().since).toBe(9);
  });

  it('is offline at once when it never was live', () => {
    const { line, socket, state, reconnects } = aLine();
    line.start();
    socket().breaks();
    expect([state(), reconnects()]).toEqual(['offline', 0]);
  });

  it('continues from the seq of a restarted daemon', () => {
    const { line, socket, timers } = aLine();
    line.start();
    socket().says({ type: 'hello', seq: 900, ts: 1 });
    socket().breaks();
    timers.advance(400);
    socket().says({ type: 'hello', seq: 2, ts: 1 });
    socket().breaks();
    timers.advance(400);
    expect(socket().since).toBe(2);
  });

  it('reports offline once the first retry fails, and keeps the time of the last frame', () => {
    const { line, socket, timers, state } = aLine();
    line.start();
    socket().says({ type: 'hello', seq: 1, ts: 1 });
    socket().breaks();
    timers.advance(400);
    socket().breaks();
    expect(state()).toBe('offline');
  });

  it('treats a silent connection as dead after 25 seconds', () => {
    const { line, socket, sockets, timers } = aLine();
    line.start();
    socket().says({ type: 'hello', seq: 1, ts: 1 });
    timers.advance(20_000);
    socket().says({ type: 'heartbeat', seq: 1, ts: 2 });
    timers.advance(24_000);
    expect(sockets).toHaveLength(1);
    timers.advance(4_000);
    expect(sockets[0]?.isClosed).toBe(true);
    expect(sockets.length).toBeGreaterThan(1);
  });

  it('replaces a stale connection at once on wake, and keeps a fresh one', () => {
    const { line, socket, sockets, timers } = aLine();
    line.start();
    socket().says({ type: 'hello', seq: 1, ts: 1 });
    line.wake();
    expect(sockets).toHaveLength(1);
    timers.advance(14_000);
    line.wake();
    expect(sockets).toHaveLength(2);
    socket().says({ type: 'heartbeat', seq: 1, ts: 2 });
    timers.sleep(-3_600_000);
    line.wake();
    expect(sockets).toHaveLength(3);
  });

  it('stays closed after stop', () => {
    const { line, socket, sockets, timers } = aLine();
    line.start();
    socket().says({ type: 'hello', seq: 1, ts: 1 });
    line.stop();
    timers.advance(120_000);
    expect(sockets).toHaveLength(1);
    expect(sockets[0]?.isClosed).toBe(true);
  });

  it('ignores messages that are not frames', () => {
    const { line, socket, frames } = aLine();
    line.start();
    socket().onmessage?.({ data: 'not json' } as never);
    socket().onmessage?.({ data: '{"type":1}' } as never);
    expect(frames).toEqual([]);
  });
});

describe('EventsLine that asks before it connects', () => {
  /** A line that was live and lost its connection, and the pending questions whether it may connect. */
  function aLostLine() {
    const asked: ((mayConnect: boolean) => void)[] = [];
    const made = aLine(() => new Promise((resolve) => void asked.push(resolve)));
    const { line, socket, timers } = made;
    line.start();
    socket().says({ type: 'hello', seq: 7, ts: 1 });
    socket().breaks();
    const answers = async (mayConnect: boolean) => {
      asked.pop()?.(mayConnect);
      await new Promise(setImmediate);
    };
    return { ...made, asked, answers, wait: () => timers.advance(15_000) };
  }

  it('opens no connection until it may', async () => {
    const { sockets, asked, answers, wait, state, socket, reconnects } = aLostLine();
    expect(asked).toHaveLength(0);
    for (let round = 0; round < 5; round += 1) {
      wait();
      expect(asked).toHaveLength(1);
      await answers(false);
    }
    expect(sockets).toHaveLength(1);
    expect(state()).toBe('offline');
    wait();
    await answers(true);
    expect(sockets).toHaveLength(2);
    socket().opens();
    expect([state(), reconnects(), socket().since]).toEqual(['live', 1, 7]);
  });

  it('takes a question that fails for a no', async () => {
    let asked = 0;
    const { line, sockets, socket, timers } = aLine(async () => {
      asked += 1;
      throw new Error('no');
    });
    line.start();
    socket().breaks();
    timers.advance(400);
    await new Promise(setImmediate);
    timers.advance(15_000);
    expect([asked, sockets.length]).toEqual([2, 1]);
    line.stop();
  });

  it('connects nothing when it is stopped meanwhile', async () => {
    const { line, sockets, answers, wait } = aLostLine();
    wait();
    line.stop();
    await answers(true);
    wait();
    expect(sockets).toHaveLength(1);
  });

  it('asks anew on wake, and connects once', async () => {
    const { line, sockets, asked, wait } = aLostLine();
    wait();
    line.wake();
    expect(asked).toHaveLength(2);
    for (const answer of asked) answer(true);
    await new Promise(setImmediate);
    expect(sockets).toHaveLength(2);
    wait();
    expect(sockets).toHaveLength(2);
  });

  it('is not live while it asks whether a stale connection can be replaced', async () => {
    const { line, sockets, answers, wait, socket, state, timers } = aLostLine();
    wait();
    await answers(true);
    socket().opens();
    timers.advance(14_000);
    line.wake();
    expect([state(), socket().isClosed]).toEqual(['catching_up', true]);
    await answers(true);
    socket().opens();
    expect([state(), sockets.length]).toEqual(['live', 3]);
  });
});
