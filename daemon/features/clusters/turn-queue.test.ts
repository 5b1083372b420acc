import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Member, Seat } from './seat.js';
import { TurnQueue } from './turn-queue.js';

/** A seat that keeps what is written to it, a text for each write. */
class KeepingSeat extends Seat {
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

function queueOf(...handles: string[]) {
  const seats = handles.map((handle) => new KeepingSeat(handle));
  const queue = new TurnQueue(seats, { lost: () => undefined, receipts: () => [] });
  const join = (handle: string) => {
    const seat = new KeepingSeat(handle);
    seats.push(seat);
    queue.enter(seat, Buffer.from('ready '));
    queue.toAll(Buffer.from(`${handle} `), seat, [], true);
    return seat;
  };
  return { queue, first: seats[0] as KeepingSeat, join };
}

/** Until everything that may wait some turns was written. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 40; turn++) await nextTurn();
}

describe('who comes into a room', () => {
  it('is told of at once where nobody else comes', async () => {
    const { first, join } = queueOf('anna');
    join('ben');
    await new Promise<void>(process.nextTick);
    expect(first.writes).toEqual(['ben ']);
  });

  it('is told of with those who come right after, turn by turn', async () => {
    const { first, join } = queueOf('anna');
    const ben = join('b');
    for (const handle of 'cdefgh') {
      await nextTurn();
      join(handle);
    }
    await settled();
    expect(first.writes).toEqual(['b ', 'c d e f g h ']);
    expect(ben.writes).toEqual(['ready ', 'c d e f g h ']);
  });

  it('hears of those alone who come after', async () => {
    const { join } = queueOf('anna');
    join('b');
    await nextTurn();
    join('c');
    const dora = join('d');
    join('e');
    await settled();
    expect(dora.writes).toEqual(['ready ', 'e ']);
  });

  it('is told of before what it says, which waits for nobody', async () => {
    const { queue, first, join } = queueOf('anna');
    join('b');
    await nextTurn();
    const carl = join('c');
    await nextTurn();
    queue.toAll(Buffer.from('hello '), carl);
    await nextTurn();
    expect(first.writes).toEqual(['b ', 'c hello ']);
  });

  it('waits for no more than some tens of turns, however many come', async () => {
    const { first, join } = queueOf('anna');
    for (let turn = 0; turn < 100; turn++) {
      join(`${turn}`);
      await nextTurn();
    }
    expect(first.writes.length).toBeGreaterThanOrEqual(3);
    expect(first.writes.length).toBeLessThanOrEqual(6);
  });
});
