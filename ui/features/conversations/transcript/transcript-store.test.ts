import { describe, expect, it } from 'vitest';
import type { Message, MessageList, Turn } from '../../../../daemon/contract/conversations.js';
import type { EventFrame } from '../../../../daemon/contract/events.js';
import { TranscriptStore } from './transcript-store.js';

const CONV = 'conv-1';

/** A fake daemon with one conversation. The test decides when its responses arrive. */
class Daemon {
  messages: Message[] = [];
  turns = new Map<string, Turn>();
  live: MessageList['live'] = null;
  firstUnread: string | null = null;
  private readonly answers: (() => void)[] = [];
  private readonly frames: (() => void)[] = [];
  private readonly timers: (() => void)[] = [];
  paints = 0;
  reads = 0;
  private seq = 0;

  readonly store = new TranscriptStore(CONV, {
    readPage: (limit, before) => {
      this.reads += 1;
      const end = before === undefined ? this.messages.length : this.messages.findIndex(({ id }) => id === before);
      const messages = this.messages.slice(Math.max(0, end - limit), end);
      const page: MessageList = {
        messages,
        turns: [...new Set(messages.map(({ turn }) => turn))].flatMap((turn) => this.turns.get(turn) ?? []),
        live: before === undefined ? this.live && { ...this.live, calls: [...this.live.calls] } : null,
        count: messages.length,
        has_more: end > limit,
        first_unread: this.firstUnread,
      };
      return new Promise((resolve) => this.answers.push(() => resolve(page)));
    },
    nextFrame: (run) => void this.frames.push(run),
    later: (run) => void this.timers.push(run),
  });

  constructor() {
    this.store.watchLive(() => {
      this.paints += 1;
    });
  }

  /** Runs timers, delivers responses and paints frames until nothing is left. */
  async settle(): Promise<void> {
    for (let round = 0; round < 10; round += 1) {
      for (const run of this.timers.splice(0)) run();
      for (const run of this.answers.splice(0)) run();
      await Promise.resolve();
      await Promise.resolve();
      this.paint();
    }
  }

  paint(): void {
    for (const run of this.frames.splice(0)) run();
  }

  frame(frame: object, isHeard = true): void {
    this.seq += 1;
    if (isHeard) this.store.take({ seq: this.seq, ts: 0, conv: CONV, ...frame } as EventFrame);
  }

  say(turn: string, isHeard = true): void {
    this.turns.set(turn, { turn, state: 'running', outcome: null } as Turn);
    this.add({ id: `u-${turn}`, turn, role: 'user', text: turn }, isHeard);
    this.live = { turn, text: '', next_index: 0, calls: [] };
  }

  write(text: string, isHeard = true): void {
    if (!this.live) throw new Error('nothing runs');
    this.frame({ type: 'turn.delta', turn: this.live.turn, index: this.live.next_index, text }, isHeard);
    this.live = { ...this.live, text: this.live.text + text, next_index: this.live.next_index + 1 };
  }

  end(isHeard = true): void {
    if (!this.live) throw new Error('nothing runs');
    const { turn, text } = this.live;
    this.live = null;
    this.turns.set(turn, { turn, state: 'ended', outcome: 'answered' } as Turn);
    this.add({ id: `a-${turn}`, turn, role: 'assistant', text }, isHeard);
    this.frame({ type: 'turn.ended', turn, outcome: 'answered' }, isHeard);
    this.frame({ type: 'conversation.updated' }, isHeard);
  }

  add(values: Partial<Message>, isHeard: boolean): void {
    const message = { conv: CONV, calls: [], ...values } as unknown as Message;
    this.messages.push(message);
    this.frame({ type: 'message.added', message }, isHeard);
  }

  get shown(): string[] {
    return this.store.read().messages.map(({ id }) => id);
  }
}

async function opened(): Promise<Daemon> {
  const daemon = new Daemon();
  daemon.store.open();
  await daemon.settle();
  return daemon;
}

describe('TranscriptStore', () => {
  it('shows a turn from its first piece to its answer', async () => {
    const daemon = await opened();
    daemon.say('t1');
    daemon.write('Hello ');
    daemon.write('there');
    daemon.paint();
    expect(daemon.store.readLive()?.text).toBe('Hello there');
    daemon.end();
    expect(daemon.store.readLive()).toBeUndefined();
    expect(daemon.shown).toEqual(['u-t1', 'a-t1']);
    await daemon.settle();
    expect(daemon.store.read().turns.get('t1')?.state).toBe('ended');
  });

  it('notifies watchers of the running turn at most once per frame', async () => {
    const daemon = await opened();
    daemon.say('t1');
    const before = daemon.paints;
    for (let piece = 0; piece < 500; piece += 1) daemon.write('x');
    expect(daemon.paints).toBe(before);
    daemon.paint();
    expect(daemon.paints).toBe(before + 1);
  });

  it('reads the missing pieces after a gap and continues from there', async () => {
    const daemon = await opened();
    daemon.say('t1');
    daemon.write('a');
    daemon.write('b', false);
    daemon.write('c');
    await daemon.settle();
    daemon.write('d');
    daemon.paint();
    expect(daemon.store.readLive()?.text).toBe('abcd');
  });

  it('keeps a message that was added while an older page was being read', async () => {
    const daemon = await opened();
    daemon.say('t1');
    daemon.end();
    daemon.store.refresh();
    daemon.say('t2');
    await daemon.settle();
    expect(daemon.shown).toEqual(['u-t1', 'a-t1', 'u-t2']);
  });

  it('does not restore a turn that ended while an older page was being read', async () => {
    const daemon = await opened();
    daemon.say('t1');
    daemon.write('a');
    daemon.store.refresh();
    daemon.end();
    await daemon.settle();
    expect(daemon.store.readLive()).toBeUndefined();
  });

  it('drops a turn whose end event was lost, once it has read again', async () => {
    const daemon = await opened();
    daemon.say('t1');
    daemon.write('a');
    daemon.paint();
    daemon.end(false);
    daemon.store.refresh();
    await daemon.settle();
    expect(daemon.store.readLive()).toBeUndefined();
    expect(daemon.shown).toEqual(['u-t1', 'a-t1']);
  });

  it('reads older pages without losing or repeating a line', async () => {
    const daemon = new Daemon();
    for (let turn = 0; turn < 150; turn += 1) {
      daemon.say(`t${turn}`, false);
      daemon.end(false);
    }
    daemon.store.open();
    await daemon.settle();
    expect(daemon.shown).toHaveLength(100);
    while (daemon.store.read().hasMore) {
      void daemon.store.readOlder();
      await daemon.settle();
    }
    expect(daemon.shown).toEqual(daemon.messages.map(({ id }) => id));
    expect(daemon.store.read().above).toBe(200);
  });

  it('finds the first message since a time, reading older pages down from it', async () => {
    const daemon = new Daemon();
    const HOUR = 3_600_000;
    for (let at = 1; at <= 350; at += 1)
      daemon.add({ id: `m${at}`, turn: `t${at}`, role: 'user', created_at: new Date(at * HOUR).toISOString() }, false);
    daemon.store.open();
    await daemon.settle();
    const find = async (ms: number) => {
      const found = daemon.store.findSince(ms);
      await daemon.settle();
      return (await found)?.id;
    };
    expect(await find(340 * HOUR)).toBe('m340');
    expect(daemon.reads).toBe(1);
    expect(await find(351 * HOUR)).toBeUndefined();
    expect(await find(119.5 * HOUR)).toBe('m120');
    expect(daemon.shown[0]).toBe('m51');
    expect(await find(0)).toBe('m1');
  });

  it('restarts from the newest page when more was missed than a page holds', async () => {
    const daemon = await opened();
    daemon.say('t0');
    daemon.end();
    for (let turn = 1; turn < 80; turn += 1) {
      daemon.say(`t${turn}`, false);
      daemon.end(false);
    }
    daemon.store.refresh();
    await daemon.settle();
    expect(daemon.shown).toEqual(daemon.messages.slice(-100).map(({ id }) => id));
    expect(daemon.store.read().hasMore).toBe(true);
  });

  it('converges to the daemon’s transcript whichever events are lost', async () => {
    // A fixed pseudo-random sequence: every run loses the same events.
    let state = 7;
    const flip = () => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return state / 2_147_483_648 < 0.6;
    };
    const daemon = await opened();
    for (let turn = 0; turn < 30; turn += 1) {
      daemon.say(`t${turn}`, flip());
      for (let piece = 0; piece < 20; piece += 1) {
        daemon.write(`${piece} `, flip());
        if (piece % 7 === 0) await daemon.settle();
      }
      daemon.end(flip());
    }
    daemon.store.refresh();
    await daemon.settle();
    expect(daemon.store.read().messages).toEqual(daemon.messages);
    expect(daemon.store.readLive()).toBeUndefined();
  });

  it('is read once it reaches up to the first unread answer, and keeps its position', async () => {
    const daemon = new Daemon();
    for (let turn = 0; turn < 400; turn += 1)
      daemon.add({ id: `a-${turn}`, turn: `t-${turn}`, role: 'assistant' }, false);
    daemon.firstUnread = 'a-120';
    daemon.store.open();
    const seen: boolean[] = [];
    daemon.store.watch(() => seen.push(daemon.store.read().isRead));
    await daemon.settle();
    const { messages, firstUnread, isRead } = daemon.store.read();
    expect({ first: messages[0]?.id, count: messages.length, firstUnread, isRead }).toEqual({
      first: 'a-100',
      count: 300,
      firstUnread: 'a-120',
      isRead: true,
    });
    expect(daemon.reads).toBe(3);
    expect(seen.indexOf(true)).toBe(seen.length - 1);
    daemon.firstUnread = null;
    daemon.frame({ type: 'conversation.updated' });
    await daemon.settle();
    expect(daemon.store.read()).toMatchObject({ firstUnread: 'a-120', isRead: true });
  });

  it('is read once it reaches up to a linked message, also when it was read before', async () => {
    const daemon = new Daemon();
    for (let turn = 0; turn < 400; turn += 1)
      daemon.add({ id: `a-${turn}`, turn: `t-${turn}`, role: 'assistant' }, false);
    daemon.firstUnread = 'a-350';
    daemon.store.openAt('a-250');
    daemon.store.open();
    await daemon.settle();
    expect(daemon.store.read()).toMatchObject({ isRead: true, firstUnread: 'a-350' });
    expect(daemon.shown[0]).toBe('a-200');

    daemon.store.openAt('a-210');
    expect(daemon.store.read().isRead).toBe(true);
    daemon.store.openAt('a-20');
    expect(daemon.store.read().isRead).toBe(false);
    daemon.store.open();
    await daemon.settle();
    expect(daemon.store.read().isRead).toBe(true);
    expect(daemon.shown[0]).toBe('a-0');

    const { reads } = daemon;
    daemon.store.openAt('a-gone');
    daemon.store.open();
    await daemon.settle();
    expect(daemon.store.read().isRead).toBe(true);
    expect(daemon.reads).toBe(reads + 1);
  });
});
