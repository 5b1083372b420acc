import { describe, expect, it } from 'vitest';
import type { Socket } from '../../../../daemon/client/socket.js';
import type { WallFrame } from '../../../../daemon/contract/wall.js';
import { ManualTimers } from '../../../../daemon/testing/manual-timers.js';
import { LINES_MAX, type MessageLine, type WallLine } from './wall-log.js';
import { WallSession } from './wall-session.js';

class TestSocket implements Omit<Socket, 'onopen'> {
  onmessage: Socket['onmessage'] = null;
  onclose: Socket['onclose'] = null;
  readonly sent: unknown[] = [];
  close() {}
  send(text: string) {
    this.sent.push(JSON.parse(text));
  }
  says(...frames: WallFrame[]) {
    for (const frame of frames) this.onmessage?.({ data: JSON.stringify(frame) } as never);
  }
  ends(code: number, reason = '') {
    this.onclose?.({ code, reason } as never);
  }
}

const READY: WallFrame = {
  kind: 'ready',
  you: 'ada',
  you_did: null,
  public: true,
  owner: false,
  online: ['ada', 'bob'],
};
const says = (from: string, payload: unknown, to: string | null = null): WallFrame => ({
  kind: 'message',
  from,
  to,
  ts: 1_000,
  payload,
});

function aSession(mayConnect?: () => Promise<boolean>) {
  const timers = new ManualTimers();
  const sockets: TestSocket[] = [];
  const pictures: (() => void)[] = [];
  let isOpenToUs = true;
  const session = new WallSession(
    { handle: 'ada', vis: 'public', token: null },
    {
      open: () => {
        const socket = new TestSocket();
        sockets.push(socket);
        return socket;
      },
      ...(mayConnect && { mayConnect }),
      isOpenToUs: async () => isOpenToUs,
      timers,
      beforeNextPicture: (run) => void pictures.push(run),
    },
  );
  session.start();
  const draw = () => {
    for (const run of pictures.splice(0)) run();
    return session.read();
  };
  const lines = (): WallLine[] => draw().blocks.flatMap((block) => block.lines);
  const content = () => lines().filter((line): line is MessageLine => line.kind === 'said');
  return {
    session,
    timers,
    sockets,
    pictures,
    draw,
    lines,
    said: content,
    last: () => sockets.at(-1) as TestSocket,
    shut: () => (isOpenToUs = false),
  };
}

describe('cluster in a tab', () => {
  it('starts with ready: who is online, and a note that earlier messages are not saved', () => {
    const { draw, lines, last } = aSession();
    last().says(READY);
    expect(draw()).toMatchObject({ status: { state: 'in' }, people: ['ada', 'bob'], receivedCount: 0 });
    expect(lines()).toMatchObject([{ kind: 'note', note: { what: 'joined', handle: 'ada', vis: 'public' } }]);
  });

  it('collects presence changes in one line until someone speaks', () => {
    const { draw, lines, last } = aSession();
    const moves = (agent: string, status: 'online' | 'offline'): WallFrame => ({
      kind: 'presence',
      agent,
      did: null,
      status,
    });
    last().says(READY, moves('eve', 'online'), moves('bob', 'offline'), moves('eve', 'offline'));
    expect(draw().people).toEqual(['ada']);
    expect(lines()).toHaveLength(2);
    expect(lines()[1]).toMatchObject({ note: { what: 'presence', came: [], left: ['bob', 'eve'] } });
  });

  it('renders once for everything received between two frames', () => {
    const { pictures, draw, last } = aSession();
    draw();
    last().says(READY);
    for (let at = 0; at < 200; at += 1) last().says(says('bob', `line ${at}`));
    expect(pictures).toHaveLength(1);
    expect(draw().receivedCount).toBe(200);
  });

  it('returns the last own message before it is rendered', () => {
    const { session, last } = aSession();
    last().says(READY);
    session.say('first', null);
    session.say({ text: 'then this' }, ['bob']);
    last().says(says('bob', 'another'));
    expect(session.lastSentText).toBe('then this');
  });

  it('keeps the identity of unchanged blocks', () => {
    const { draw, last } = aSession();
    last().says(READY, ...Array.from({ length: 100 }, (_, at) => says('bob', `line ${at}`)));
    const before = draw().blocks;
    last().says(says('bob', 'one more'));
    const after = draw().blocks;
    expect(after[0]).toBe(before[0]);
    expect(after.at(-1)).not.toBe(before.at(-1));
  });

  it('drops the oldest lines beyond ten thousand', () => {
    const { draw, said: content, last } = aSession();
    last().says(READY);
    for (let at = 0; at < LINES_MAX + 500; at += 1) last().says(says('bob', `line ${at}`));
    expect(draw()).toMatchObject({ isTrimmed: true, receivedCount: LINES_MAX + 500 });
    expect(content().length).toBeLessThanOrEqual(LINES_MAX);
    expect(content().at(-1)?.said.text).toBe(`line ${LINES_MAX + 499}`);
  });

  it('drops lines earlier when they are large', () => {
    const { draw, said: content, last } = aSession();
    last().says(READY);
    for (let at = 0; at < 1_000; at += 1) last().says(says('bob', 'x'.repeat(60_000)));
    expect(draw().isTrimmed).toBe(true);
    expect(content().length).toBeLessThan(500);
  });
});

describe('own message', () => {
  it('is sent to everyone or to the named recipients, and gets the number reached', () => {
    const { session, said: content, last } = aSession();
    last().says(READY);
    expect(session.say('hello', null)).toBe(true);
    expect(session.say('psst', ['bob'])).toBe(true);
    expect(session.say('both', ['bob', 'eve'])).toBe(true);
    expect(last().sent).toEqual([
      { payload: 'hello' },
      { to: 'bob', payload: 'psst' },
      { to: ['bob', 'eve'], payload: 'both' },
    ]);
    last().says(
      { kind: 'ack', to: null, delivered: 3 },
      { kind: 'ack', to: 'bob', delivered: 1 },
      { kind: 'ack', to: ['bob', 'eve'], delivered: 0 },
    );
    expect(content().map(({ standing: delivery, to, isOwn }) => ({ standing: delivery, to, isOwn }))).toEqual([
      { standing: { state: 'reached', count: 3 }, to: null, isOwn: true },
      { standing: { state: 'reached', count: 1 }, to: ['bob'], isOwn: true },
      { standing: { state: 'reached', count: 0 }, to: ['bob', 'eve'], isOwn: true },
    ]);
  });

  it('is not sent while disconnected', () => {
    const { session, said: content, last } = aSession();
    expect(session.say('too soon', null)).toBe(false);
    last().says(READY);
    last().ends(1006);
    expect(session.say('too late', null)).toBe(false);
    expect(content()).toEqual([]);
  });

  it('gets the reason when it is refused, and unknown when the connection is cut first', () => {
    const { session, said: content, last } = aSession();
    last().says(READY);
    session.say('first', null);
    session.say('second', null);
    last().says({ kind: 'error', detail: 'The frame is empty.' });
    last().ends(1006);
    expect(content().map(({ standing: delivery }) => delivery)).toEqual([
      { state: 'refused', detail: 'The frame is empty.' },
      { state: 'unknown' },
    ]);
  });

  it('is distinguished from a message of the same handle', () => {
    const { said: content, last } = aSession();
    last().says(READY, says('ada', 'I am you'));
    expect(content()[0]).toMatchObject({ from: 'ada', isOwn: false });
  });
});

describe('stream', () => {
  const piece = (from: string, seq: number, delta: string, done?: true, to: string | null = null) =>
    says(from, { type: 'message', stream: 's', seq, delta, ...(done && { done }) }, to);

  it('is one growing line per sender and recipients', () => {
    const { draw, said: content, last } = aSession();
    last().says(
      READY,
      piece('bob', 0, 'Good '),
      piece('eve', 0, 'Other'),
      piece('bob', 0, 'secret', undefined, 'ada'),
      piece('bob', 1, 'day'),
    );
    expect(content().map(({ from, to, said: { text }, isBeingWritten }) => [from, to, text, isBeingWritten])).toEqual([
      ['bob', null, 'Good day', true],
      ['eve', null, 'Other', true],
      ['bob', ['ada'], 'secret', true],
    ]);
    last().says(piece('bob', 2, '.', true));
    expect(content()[0]).toMatchObject({ said: { text: 'Good day.' }, isBeingWritten: false });
    expect(draw().receivedCount).toBe(3);
  });

  it('is a new one when its name was used by an ended stream', () => {
    const { said: content, last } = aSession();
    last().says(READY, piece('bob', 0, 'one', true), piece('bob', 0, 'two', true));
    expect(content().map(({ said: { text } }) => text)).toEqual(['one', 'two']);
  });

  it('ends when the connection is cut', () => {
    const { said: content, last } = aSession();
    last().says(READY, piece('bob', 0, 'Good '));
    last().ends(1006);
    expect(content()[0]).toMatchObject({ said: { text: 'Good ' }, isBeingWritten: false });
  });
});

describe('connection', () => {
  it('reconnects and reports the gap', () => {
    const { timers, sockets, draw, lines, last } = aSession();
    last().says(READY);
    last().ends(1001);
    const since = timers.now();
    expect(draw()).toMatchObject({ status: { state: 'cut', since, code: 1001 }, people: [] });
    timers.sleep(60_000);
    expect(sockets).toHaveLength(2);
    last().says(READY);
    expect(draw().status.state).toBe('in');
    expect(lines().at(-1)).toMatchObject({ note: { what: 'cut', since, until: timers.now() } });
  });

  it.each([4000, 4401, 1008])('stays closed after %s', (code) => {
    const { timers, sockets, draw, last } = aSession();
    last().says(READY, { kind: 'closed', reason: 'deleted by its admin' });
    last().ends(code);
    timers.sleep(600_000);
    expect(sockets).toHaveLength(1);
    expect(draw().status).toMatchObject({ state: 'over', ending: { reason: 'deleted by its admin' } });
  });

  it('stays closed when the cluster refuses it before it is open', async () => {
    const { timers, sockets, draw, last, shut } = aSession();
    shut();
    last().ends(1006);
    await Promise.resolve();
    timers.sleep(60_000);
    expect(sockets).toHaveLength(1);
    expect(draw().status).toMatchObject({ state: 'over', ending: { why: 'refused' } });
  });

  it('is retried when only the daemon is unavailable', async () => {
    const { timers, sockets, last } = aSession();
    last().ends(1006);
    await Promise.resolve();
    timers.sleep(60_000);
    expect(sockets).toHaveLength(2);
  });

  it('reports no gap when it was never open', async () => {
    const { timers, lines, last } = aSession();
    last().ends(1006);
    await Promise.resolve();
    timers.sleep(60_000);
    last().says(READY);
    expect(lines()).toMatchObject([{ note: { what: 'joined' } }]);
  });

  it('is retried at once when the tab wakes', () => {
    const { session, sockets, draw, last } = aSession();
    last().says(READY);
    last().ends(4408);
    expect(draw().status).toMatchObject({ state: 'cut', code: 4408 });
    session.wake();
    expect(sockets).toHaveLength(2);
    last().says(READY);
    session.wake();
    expect(sockets).toHaveLength(2);
  });

  it('is checked when silent, without other members noticing', () => {
    const { session, timers, sockets, lines, last } = aSession();
    last().says(READY);
    for (let minute = 0; minute < 3; minute += 1) {
      timers.sleep(60_000);
      const { to, payload } = last().sent.at(-1) as { to: string; payload: unknown };
      expect(payload).toBeNull();
      last().says({ kind: 'ack', to, delivered: 0 });
    }
    expect(sockets).toHaveLength(1);
    expect(last().sent).toHaveLength(3);
    expect(session.isIn).toBe(true);
    expect(lines()).toHaveLength(1);
    session.say('hello', null);
    timers.sleep(60_000);
    last().says({ kind: 'ack', to: null, delivered: 1 });
    expect(lines().at(-1)).toMatchObject({ standing: { state: 'reached', count: 1 } });
  });

  it('counts as cut since the last frame when it does not respond', () => {
    const { timers, sockets, draw, lines, last } = aSession();
    last().says(READY);
    const heardAt = timers.now();
    for (let waited = 0; waited < 27_500; waited += 2_500) timers.sleep(2_500);
    expect(draw().status).toEqual({ state: 'cut', since: heardAt, code: 1006 });
    timers.sleep(15_000);
    expect(sockets).toHaveLength(2);
    last().says(READY);
    expect(lines().at(-1)).toMatchObject({ note: { what: 'cut', since: heardAt } });
  });

  it('is retried when it never opens', () => {
    const { timers, sockets, draw } = aSession();
    for (let waited = 0; waited < 25_000; waited += 2_500) timers.sleep(2_500);
    expect(draw().status).toMatchObject({ state: 'cut', code: 1006 });
    timers.sleep(400);
    expect(sockets).toHaveLength(2);
  });

  it('is checked at once when the tab wakes, with a short deadline', () => {
    const { session, timers, sockets, last } = aSession();
    last().says(READY);
    session.wake();
    expect(last().sent).toEqual([]);
    timers.sleep(3_000);
    session.wake();
    session.wake();
    expect(last().sent).toHaveLength(1);
    for (let waited = 0; waited < 12_500; waited += 2_500) timers.sleep(2_500);
    expect(session.isIn).toBe(false);
    timers.sleep(15_000);
    expect(sockets).toHaveLength(2);
  });

  it('is not attempted while the daemon does not answer', async () => {
    let answers = true;
    const { session, timers, sockets, draw, last } = aSession(async () => answers);
    const settle = () => new Promise(setImmediate);
    await settle();
    last().says(READY);
    answers = false;
    const cutAt = timers.now();
    last().ends(1006);
    for (let round = 0; round < 5; round += 1) {
      timers.advance(15_000);
      await settle();
    }
    session.wake();
    await settle();
    expect(draw().status).toEqual({ state: 'cut', since: cutAt, code: 1006 });
    expect(sockets).toHaveLength(1);
    answers = true;
    timers.advance(15_000);
    await settle();
    last().says(READY);
    expect([draw().status.state, sockets.length]).toEqual(['in', 2]);
    session.again();
    session.stop();
    await settle();
    expect(sockets).toHaveLength(2);
  });

  it('that ended with too_much is reopened on request', () => {
    const { session, sockets, draw, last } = aSession();
    last().says(READY, { kind: 'error', detail: 'Too much at once.' });
    last().ends(1008);
    session.wake();
    expect(sockets).toHaveLength(1);
    session.again();
    last().says(READY);
    expect(draw().status.state).toBe('in');
  });

  it('rejoins with another visibility and keeps the received messages', () => {
    const { session, sockets, said: content, last } = aSession();
    last().says(READY, says('bob', 'hello'));
    session.rejoinAs({ handle: 'ada', vis: 'ghost', token: null });
    expect(sockets).toHaveLength(2);
    last().says(READY);
    expect(content().map(({ said: { text } }) => text)).toEqual(['hello']);
    session.rejoinAs({ handle: 'ada', vis: 'ghost', token: null });
    expect(sockets).toHaveLength(2);
  });
});
