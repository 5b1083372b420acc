import { setImmediate as waitForTick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.js';
import { Connection, type Member } from './connection.js';
import { TickWriteBatcher } from './tick-write-batcher.js';

/** A connection that records each write as a string. */
class KeepingConnection extends Connection {
  readonly writes: string[] = [];
  readonly queuedBytes = 0;
  readonly isSilent = false;
  takes = Number.POSITIVE_INFINITY;

  constructor(handle: string) {
    super({ handle, did: null, vis: 'public', isOwner: false } satisfies Member);
  }

  canTake(bytes: number): boolean {
    return bytes <= this.takes;
  }

  write(bytes: Buffer): void {
    this.writes.push(bytes.toString());
  }

  ping(): void {}

  isStalled(): boolean {
    return false;
  }

  end(): void {}

  cut(): void {}
}

/** Waits for the event loop tick in which something was queued and for the one after it. */
async function turnsEnd(): Promise<void> {
  await waitForTick();
  await waitForTick();
}

function getQueue(...handles: string[]) {
  const connections = handles.map((handle) => new KeepingConnection(handle));
  const clock = new FakeClock();
  const queue = new TickWriteBatcher(connections, { lost: () => undefined, receipts: () => [] }, clock);
  const join = (handle: string) => {
    const connection = new KeepingConnection(handle);
    connections.push(connection);
    queue.enter(connection, Buffer.from('ready '));
    queue.toAll(Buffer.from(`${handle} `), connection, [], true);
    return connection;
  };
  return { queue, clock, first: connections[0] as KeepingConnection, join };
}

describe('TickWriteBatcher with patient frames', () => {
  it('writes the arrival of a single member immediately', async () => {
    const { clock, first, join } = getQueue('anna');
    join('b');
    await turnsEnd();
    clock.advance(10);
    join('c');
    await turnsEnd();
    expect(first.writes).toEqual(['b ', 'c ']);
  });

  it('batches the arrivals that follow shortly after', async () => {
    const { clock, first, join } = getQueue('anna');
    const ben = join('b');
    for (const handle of 'cdef') {
      await turnsEnd();
      clock.advance(2);
      join(handle);
    }
    expect(first.writes).toEqual(['b ']);
    clock.advance(4);
    expect(first.writes).toEqual(['b ', 'c d e f ']);
    expect(ben.writes).toEqual(['ready ', 'c d e f ']);
  });

  it('sends a new member only the arrivals after its own', async () => {
    const { clock, join } = getQueue('anna');
    join('b');
    await turnsEnd();
    join('c');
    const dora = join('d');
    join('e');
    clock.advance(10);
    expect(dora.writes).toEqual(['ready ', 'e ']);
  });

  it("writes an arrival before the member's first message, which is not delayed", async () => {
    const { queue, clock, first, join } = getQueue('anna');
    join('b');
    await turnsEnd();
    const carl = join('c');
    await turnsEnd();
    queue.toAll(Buffer.from('hello '), carl);
    await turnsEnd();
    expect(first.writes).toEqual(['b ', 'c hello ']);
    // Nothing is left to wait for.
    expect(clock.pending).toBe(0);
  });

  it('writes an arrival within ten milliseconds, however many follow', async () => {
    const { clock, first, join } = getQueue('anna');
    for (let ms = 0; ms < 100; ms += 1) {
      join(`${ms}`);
      await turnsEnd();
      clock.advance(1);
    }
    expect(first.writes.length).toBeGreaterThanOrEqual(10);
    expect(first.writes.length).toBeLessThanOrEqual(12);
  });
});

describe('TickWriteBatcher', () => {
  function aQueue(...handles: string[]) {
    const connections = handles.map((handle) => new KeepingConnection(handle));
    const lost: string[][] = [];
    const receipts: [Connection, Buffer][] = [];
    const calls = {
      lost: (all: readonly Connection[]) => void lost.push(all.map(({ member }) => member.handle)),
      receipts: () => receipts.splice(0),
    };
    const queue = new TickWriteBatcher(connections, calls, new FakeClock());
    const by = (handle: string) => connections[handles.indexOf(handle)] as KeepingConnection;
    return { queue, connections, lost, receipts, by, all: () => connections.map(({ writes }) => writes) };
  }
  const text = (of: string) => Buffer.from(of);

  it('writes once to each connection, in order, what was for it among what was for all', async () => {
    const { queue, by, all } = aQueue('ada', 'ben', 'cay', 'dot');
    queue.toAll(text('1'), by('ada'));
    queue.toOne(by('ben'), text('b'));
    queue.toAll(text('2'), by('ben'), [by('cay')]);
    queue.toAll(text('3'));
    queue.toOne(by('ben'), text('B'));
    await turnsEnd();
    expect(all()).toEqual([['23'], ['1b3B'], ['13'], ['123']]);
  });

  it('writes the frames of one chunk when it was processed, and those of many senders at the end of the tick', async () => {
    const { queue, by, all } = aQueue('ada', 'ben', 'cay');
    queue.toAll(text('1'), by('ada'));
    queue.toAll(text('2'), by('ada'));
    expect(all()).toEqual([[], [], []]);
    await Promise.resolve();
    await new Promise<void>((resolve) => process.nextTick(resolve));
    expect(all()).toEqual([[], ['12'], ['12']]);
    queue.toAll(text('3'), by('ben'));
    await turnsEnd();
    expect(by('cay').writes).toEqual(['12', '3']);
    // Two senders spoke in one tick, so the next tick is gathered whole.
    queue.toAll(text('4'), by('ada'));
    await new Promise<void>((resolve) => process.nextTick(resolve));
    expect(by('cay').writes).toEqual(['12', '3']);
    queue.toAll(text('5'), by('ada'));
    await turnsEnd();
    expect(by('cay').writes).toEqual(['12', '3', '45']);
    // One alone did, so the next is not.
    queue.toAll(text('6'), by('ada'));
    await new Promise<void>((resolve) => process.nextTick(resolve));
    expect(by('cay').writes.at(-1)).toBe('6');
  });

  it('writes at once when 256 KiB have gathered', () => {
    const { queue, by } = aQueue('ada', 'ben');
    queue.toAll(Buffer.alloc(256 * 1024 - 1), by('ada'));
    expect(by('ben').writes).toEqual([]);
    queue.toOne(by('ben'), text('x'));
    expect(by('ben').writes.map(({ length }) => length)).toEqual([256 * 1024]);
    queue.toAll(text('y'), by('ada'));
    expect(by('ben').writes).toHaveLength(1);
  });

  it('tells which connections could take no more, and writes nothing to them', () => {
    const { queue, lost, by, all } = aQueue('ada', 'ben', 'cay');
    by('ben').takes = 1;
    by('cay').takes = 3;
    queue.toAll(text('12'), by('ada'));
    queue.toOne(by('cay'), text('34'));
    queue.flush();
    expect(lost).toEqual([['ben', 'cay']]);
    expect(all()).toEqual([[], [], []]);
    queue.toAll(text('5'));
    queue.flush();
    expect(lost).toHaveLength(1);
    expect(all()).toEqual([['5'], ['5'], ['5']]);
  });

  it('writes the receipts with what their connections get, and none to one that took nothing or is gone', () => {
    const { queue, lost, receipts, by, all } = aQueue('ada', 'ben', 'cay');
    for (const handle of ['ada', 'ben', 'cay']) {
      queue.await(by(handle));
      receipts.push([by(handle), text(`for ${handle}`)]);
    }
    queue.toAll(text('1 '), by('ada'));
    by('ben').takes = 1;
    by('cay').isGone = true;
    queue.flush();
    expect([all(), lost]).toEqual([[['for ada'], [], []], [['ben']]]);
  });

  it('puts what is queued while it writes into the next batch', async () => {
    const { connections, by } = aQueue('ada', 'ben');
    const lost = () => {
      by('ada').takes = Number.POSITIVE_INFINITY;
      queue.toAll(Buffer.alloc(300 * 1024, 'x'));
    };
    const calls = { lost, receipts: () => [] };
    const queue: TickWriteBatcher = new TickWriteBatcher(connections, calls, new FakeClock());
    by('ada').takes = 0;
    queue.toAll(text('1'));
    queue.flush();
    expect(by('ben').writes).toEqual(['1']);
    await turnsEnd();
    expect(by('ben').writes.map(({ length }) => length)).toEqual([1, 300 * 1024]);
  });

  it('begins anew with each batch, its size included', async () => {
    const { queue, by } = aQueue('ada', 'ben');
    for (const letter of ['x', 'y']) {
      queue.toAll(Buffer.alloc(256 * 1024, letter), by('ada'));
      expect(by('ben').writes.splice(0)).toEqual([letter.repeat(256 * 1024)]);
    }
    queue.toAll(text('1'), by('ada'));
    expect(by('ben').writes).toEqual([]);
    await turnsEnd();
    expect([by('ada').writes, by('ben').writes]).toEqual([[], ['1']]);
  });

  it('gives one that came in the middle of a batch all of the next one', async () => {
    const { queue, by, connections } = aQueue('ada');
    queue.toAll(text('1'));
    queue.toAll(text('2'));
    const ben = new KeepingConnection('ben');
    connections.push(ben);
    queue.enter(ben, text('ready '));
    queue.toAll(text('3'));
    await turnsEnd();
    expect([by('ada').writes, ben.writes]).toEqual([['123'], ['ready ', '3']]);
    queue.toAll(text('4'));
    queue.toAll(text('5'));
    queue.toOne(ben, text('b'));
    await turnsEnd();
    expect(ben.writes.slice(2)).toEqual(['45b']);
  });

  it('has frames of its own for one that came before any for all', async () => {
    const { queue, by } = aQueue('ada', 'ben');
    queue.enter(by('ada'), text('ready '));
    queue.toOne(by('ada'), text('a'));
    queue.toAll(text('1'));
    await turnsEnd();
    expect([by('ada').writes, by('ben').writes]).toEqual([['ready ', 'a1'], ['1']]);
  });

  it('does not write the first frame to a connection that cannot take it', () => {
    const { queue, by } = aQueue('ada');
    by('ada').takes = 2;
    queue.enter(by('ada'), text('123'));
    queue.enter(by('ada'), text('12'));
    expect(by('ada').writes).toEqual(['12']);
  });
});
