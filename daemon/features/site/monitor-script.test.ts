import { createContext, runInContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { ManualTimers } from '../../testing/manual-timers.js';
import { MONITOR_SCRIPT } from './monitor-script.js';

/** An element of a page, as far as the script uses it. */
class PageElement {
  className = '';
  dateTime: string | undefined;
  dir: string | undefined;
  dataset: Record<string, string> = {};
  children: (PageElement | string)[] = [];
  private parent: PageElement | undefined;

  constructor(readonly name = 'div') {}

  get textContent(): string {
    return this.children.map((child) => (typeof child === 'string' ? child : child.textContent)).join('');
  }
  set textContent(text: string) {
    this.children = [text];
  }
  get elements(): PageElement[] {
    return this.children.filter((child) => child instanceof PageElement);
  }
  get childElementCount(): number {
    return this.elements.length;
  }
  get firstElementChild(): PageElement | undefined {
    return this.elements[0];
  }
  append(...added: (PageElement | string)[]): void {
    for (const child of added) if (child instanceof PageElement) child.parent = this;
    this.children.push(...added);
  }
  remove(): void {
    if (this.parent) this.parent.children = this.parent.children.filter((child) => child !== this);
  }
}

/** A page in which the script runs, and the daemon that it talks to. */
function openMonitor({ isHidden = false } = {}) {
  const [wall, state, lines, chip] = [new PageElement(), new PageElement(), new PageElement(), new PageElement()];
  wall.dataset = { cluster: 'c_1' };
  const timers = new ManualTimers();
  const sockets: { address: string; onmessage(event: { data: string }): void; onclose(): void }[] = [];
  const asked: unknown[] = [];
  const health: (() => Promise<void>)[] = [];
  const scrolled: number[] = [];
  const window = { innerHeight: 100, scrollY: 860, scrollTo: (_left: number, top: number) => scrolled.push(top) };
  const context = createContext({
    ...{ window, location: { origin: 'http://127.0.0.1:7001' }, setTimeout: timers.setTimeout },
    document: {
      getElementById: (id: string) => ({ wall, state, lines })[id],
      querySelector: (selector: string) => (selector === '#online > span' ? chip : null),
      createElement: (name: string) => new PageElement(name),
      ...{ hidden: isHidden, documentElement: { scrollHeight: 1_000 } },
    },
    requestAnimationFrame: (run: () => void) => timers.setTimeout(run, 16),
    Math: Object.assign(Object.create(Math), { random: timers.random }),
    AbortSignal: { timeout: (ms: number) => `within ${ms}` },
    WebSocket: class {
      constructor(readonly address: string) {
        sockets.push(this as never);
      }
    },
    fetch: (...request: unknown[]) => {
      asked.push(request);
      return (health.shift() ?? (() => Promise.resolve()))();
    },
  });
  runInContext(MONITOR_SCRIPT, context);
  const give = (frame: object) => sockets.at(-1)?.onmessage({ data: JSON.stringify(frame) });
  const say = (payload: unknown, more: object = {}) =>
    give({ kind: 'message', from: 'ada', ts: 1_795_262_400, payload, ...more });
  /** The text of each line without its time. */
  const shown = () => {
    timers.advance(16);
    return lines.elements.map(({ children }) =>
      children
        .flatMap((child) => (child instanceof PageElement && child.name === 'time' ? [] : child))
        .map((child) => (child instanceof PageElement ? child.textContent : child))
        .join('')
        .trim(),
    );
  };
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const page = { window, state, lines, chip, scrolled };
  return { ...page, timers, sockets, asked, health, give, say, shown, settle };
}

it('joins the Wall as a ghost that sees private members masked', () => {
  const { sockets, asked } = openMonitor();
  expect(sockets.map(({ address }) => address)).toEqual([
    'ws://127.0.0.1:7001/v1/clusters/c_1/ws?agent=monitor&vis=ghost&mask=1',
  ]);
  expect(asked).toEqual([]);
});

describe('who is there', () => {
  it('is counted, and told when somebody comes or leaves', () => {
    const { state, chip, give, shown } = openMonitor();
    const online = () => [chip.textContent, chip.className];
    give({ kind: 'ready', online: [] });
    expect([state.textContent, online()]).toEqual(['Connected.', ['0 online', 'chip off']]);
    give({ kind: 'ready', online: ['ada', 'dot'] });
    expect(online()).toEqual(['2 online', 'chip on']);
    give({ kind: 'presence', agent: 'eve', status: 'online' });
    give({ kind: 'presence', agent: 'eve', status: 'online' });
    expect(online()).toEqual(['3 online', 'chip on']);
    for (const agent of ['ada', 'dot', 'e\u202eve', 'eve']) give({ kind: 'presence', agent, status: 'offline' });
    expect(online()).toEqual(['0 online', 'chip off']);
    expect(shown()).toEqual([
      ...['eve came.', 'eve came.', 'ada left.', 'dot left.', 'e\\u{202e}ve left.', 'eve left.'],
    ]);
  });
});

describe('a line', () => {
  it('has the time, the handle, the words and what it is about', () => {
    const { lines, say, timers } = openMonitor();
    say('Good morning', { board: 'lost', ref: 'p_1' });
    timers.advance(16);
    const [time, , who, , words, , about] = (lines.elements[0]?.children ?? []) as PageElement[];
    const when = new Date(1_795_262_400_000);
    expect([time?.name, time?.dateTime, time?.textContent]).toEqual([
      ...['time', '2026-11-21T12:00:00.000Z', when.toLocaleTimeString([], { hour12: false })],
    ]);
    expect([who?.name, who?.className, who?.textContent]).toEqual(['bdi', 'who', 'ada']);
    expect([words?.name, words?.className, words?.dir, words?.textContent]).toEqual([
      ...['span', 'words-said', 'auto', 'Good morning'],
    ]);
    expect([about?.name, about?.textContent]).toEqual(['small', '#lost #p_1']);
  });

  it('shows the invisible characters of a handle and of what it is about', () => {
    const { say, shown } = openMonitor();
    say('Hi', { from: 'a\u202eda', board: 'lo\u200bst' });
    expect(shown()).toEqual(['a\\u{202e}da Hi #lo\\u{200b}st']);
  });

  it.each<[unknown, string]>([
    ['Hi', 'Hi'],
    ['<b>&amp;', '<b>&amp;'],
    ['a\u202eb\u0000c', 'a\\u{202e}b\\u{0}c'],
    ['x'.repeat(4_000), 'x'.repeat(4_000)],
    ['x'.repeat(4_001), `${'x'.repeat(4_000)}…`],
    [7, '7'],
    [null, 'null'],
    [['a'], '["a"]'],
    [{ a: 1 }, '{"a":1}'],
    [{ text: 'Found.' }, 'Found.'],
    [{ text: 7 }, '{"text":7}'],
    [{ text: 'Two:', media: [{ mime: 'image/png' }, { url: 'x' }, null] }, 'Two: [image/png] [file] [file]'],
    [{ media: Array(30).fill({ mime: 'a/b' }) }, Array(20).fill('[a/b]').join(' ')],
    [{ media: [{ mime: 'm'.repeat(200) }] }, `[${'m'.repeat(100)}]`],
    [{ text: 'Listed.', media: 'none' }, 'Listed.'],
    [{ type: 'message', stream: 's', seq: 1 }, '{"type":"message","stream":"s","seq":1}'],
  ])('shows the message %j as text', (payload, text) => {
    const { say, shown } = openMonitor();
    say(payload);
    expect(shown()).toEqual([`ada ${text}`]);
  });

  it('tells what happens on a board', () => {
    const { give, shown } = openMonitor();
    give({ kind: 'board', slug: 'lost', event: 'post_created', title: 'A \u202ehat' });
    give({ kind: 'board', slug: 'lost', event: 'post_expired' });
    expect(shown()).toEqual(['#lost: post created “A \\u{202e}hat”', '#lost: post expired']);
  });

  it.each(['constructor', '__proto__', 'toString', 'pong', undefined])('is not made of a frame of kind %s', (kind) => {
    const { give, shown } = openMonitor();
    give({ kind, agent: 'ada' });
    expect(shown()).toEqual([]);
  });
});

describe('a message in pieces', () => {
  const piece = (seq: unknown, delta: unknown, more: object = {}) => ({
    ...{ type: 'message', stream: 's', seq, delta, ...more },
  });

  it('is one line once it is whole, in the order of its pieces', () => {
    const { say, shown } = openMonitor();
    say(piece(2, 'c'));
    say(piece(0, 'a'));
    expect(shown()).toEqual([]);
    say(piece(3, 'd', { done: true }));
    say(piece(1, 'x', { done: true }));
    expect(shown()).toEqual(['ada acd', 'ada x']);
  });

  it('is kept apart from those of other senders and other streams', () => {
    const { say, shown } = openMonitor();
    say(piece(0, 'a'));
    say(piece(0, 'b'), { from: 'dot' });
    say(piece(0, 'c', { stream: 't' }));
    for (const [from, stream] of [
      ['ada', 't'],
      ['dot', 's'],
      ['ada', 's'],
    ])
      say(piece(1, '.', { stream, done: true }), { from });
    expect(shown()).toEqual(['ada c.', 'dot b.', 'ada a.']);
  });

  it.each([
    ['without a text', piece(0, 7)],
    ['without a place', piece(0.5, 'a')],
    ['of another type', piece(0, 'a', { type: 'note' })],
    ['of no stream', piece(0, 'a', { stream: 7 })],
  ])('is shown at once as it is when it is %s', (_what, payload) => {
    const { say, shown } = openMonitor();
    say(payload);
    expect(shown()).toEqual([`ada ${JSON.stringify(payload)}`]);
  });

  it('is one of the fifty that were continued last', () => {
    const { say, shown } = openMonitor();
    const begin = (stream: number) => say(piece(0, 'a', { stream: `${stream}` }));
    for (let stream = 0; stream < 50; stream += 1) begin(stream);
    say(piece(1, 'b', { stream: '0' }));
    begin(50);
    for (const stream of ['0', '1', '2']) say(piece(2, '.', { stream, done: true }));
    expect(shown()).toEqual(['ada ab.', 'ada .', 'ada a.']);
  });

  it('begins anew when the connection does', async () => {
    const { say, shown, sockets, timers, settle } = openMonitor();
    say(piece(0, 'a'));
    sockets[0]?.onclose();
    timers.advance(1_250);
    await settle();
    say(piece(1, 'b', { done: true }));
    expect(shown()).toEqual(['ada b']);
  });
});

describe('the lines', () => {
  it('are the last 200, also of those that wait to be drawn', () => {
    const { lines, say, shown } = openMonitor();
    for (let count = 0; count < 150; count += 1) say(`one ${count}`);
    expect(shown()).toHaveLength(150);
    for (let count = 0; count < 250; count += 1) say(`two ${count}`);
    expect(lines.childElementCount).toBe(150);
    expect(shown()).toEqual(Array.from({ length: 200 }, (_, at) => `ada two ${50 + at}`));
  });

  it('are drawn together, and half a second later while nobody looks', () => {
    const { lines, say, timers } = openMonitor({ isHidden: true });
    say('one');
    say('two');
    timers.advance(499);
    expect(lines.childElementCount).toBe(0);
    timers.advance(1);
    expect(lines.childElementCount).toBe(2);
  });

  it.each([
    [860, [1_000]],
    [859, []],
  ])('are followed by a reader who is at the end: scrolled by %i', (scrollY, followed) => {
    const { window, scrolled, say, shown } = openMonitor();
    window.scrollY = scrollY;
    say('one');
    expect([shown(), scrolled]).toEqual([['ada one'], followed]);
  });
});

describe('a connection that is lost', () => {
  it('is told, with nobody online, and made again once the daemon answers', async () => {
    const { state, chip, sockets, asked, timers, give, settle } = openMonitor();
    give({ kind: 'ready', online: ['ada'] });
    sockets[0]?.onclose();
    expect([state.textContent, chip.textContent, chip.className]).toEqual([
      'Not connected: what is said meanwhile is not seen. Trying again…',
      ...['0 online', 'chip off'],
    ]);
    timers.advance(1_249);
    expect(asked).toEqual([]);
    timers.advance(1);
    await settle();
    expect(asked).toEqual([['/health', { cache: 'no-store', signal: 'within 10000' }]]);
    expect(sockets.map(({ address }) => address)).toEqual(Array(2).fill(sockets[0]?.address));
  });

  it('is tried again after twice the time, up to half a minute, and after a second again once it was there', async () => {
    const { sockets, asked, health, timers, give, settle } = openMonitor();
    sockets[0]?.onclose();
    for (const seconds of [1, 2, 4, 8, 16, 30, 30]) {
      const before = asked.length;
      health.push(() => Promise.reject(new Error('refused')));
      timers.advance(seconds * 1_250 - 1);
      await settle();
      expect(asked.length).toBe(before);
      timers.advance(1);
      await settle();
      expect(asked.length).toBe(before + 1);
    }
    expect(sockets).toHaveLength(1);
    timers.advance(30 * 1_250);
    await settle();
    expect(sockets).toHaveLength(2);
    give({ kind: 'ready', online: [] });
    sockets[1]?.onclose();
    timers.advance(1_250);
    await settle();
    expect(sockets).toHaveLength(3);
  });

  it('is not made again when the cluster was deleted', async () => {
    const { state, chip, sockets, asked, timers, give, settle } = openMonitor();
    give({ kind: 'ready', online: ['ada'] });
    give({ kind: 'closed' });
    sockets[0]?.onclose();
    timers.advance(3_600_000);
    await settle();
    expect([state.textContent, chip.textContent]).toEqual(['The cluster was deleted.', '0 online']);
    expect([sockets.length, asked.length]).toEqual([1, 0]);
  });
});
