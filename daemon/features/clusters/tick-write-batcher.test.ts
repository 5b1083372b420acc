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

  constructor(handle: string) {
    super({ handle, did: null, vis: 'public', isOwner: false } satisfies Member);
  }

  canTake(): boolean {
    return true;
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
    const { queue, first, join } = getQueue('anna');
    join('b');
    await turnsEnd();
    const carl = join('c');
    await turnsEnd();
    queue.toAll(Buffer.from('hello '), carl);
    await turnsEnd();
    expect(first.writes).toEqual(['b ', 'c hello ']);
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
