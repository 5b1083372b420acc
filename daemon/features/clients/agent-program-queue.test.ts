import { describe, expect, it } from 'vitest';
import { EventQueue } from './agent-program-queue.js';

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A queue into which `count` events were written, and how many of the writers may go on. */
function filled(count: number) {
  const queue = new EventQueue<number>();
  const free = { count: 0 };
  for (let index = 0; index < count; index += 1)
    void queue.push(index).then(() => {
      free.count += 1;
    });
  return { queue, free };
}

async function readAll<Event>(queue: EventQueue<Event>): Promise<Event[]> {
  const all: Event[] = [];
  for await (const event of queue.read()) all.push(event);
  return all;
}

describe('the queue of events', () => {
  it('yields them in order, to a reader that waits too', async () => {
    const queue = new EventQueue<number>();
    const reading = readAll(queue);
    await settled();
    await queue.push(1);
    await settled();
    await queue.push(2);
    await queue.push(3);
    queue.end();
    expect(await reading).toEqual([1, 2, 3]);
  });

  it('lets 63 be written ahead, and the next writer wait for the reader', async () => {
    const { queue, free } = filled(64);
    await settled();
    expect(free.count).toBe(63);
    await queue.read().next();
    await settled();
    expect(free.count).toBe(64);
  });

  it('keeps the writers waiting until there is room again', async () => {
    const { queue, free } = filled(65);
    const events = queue.read();
    await events.next();
    await settled();
    expect(free.count).toBe(63);
    await events.next();
    await settled();
    expect(free.count).toBe(65);
  });

  it('frees the writers and the reader at its end', async () => {
    const { queue, free } = filled(66);
    queue.end();
    await settled();
    expect(free.count).toBe(66);
    expect(await readAll(queue)).toHaveLength(66);
    const waiting = new EventQueue<number>();
    const reading = readAll(waiting);
    await settled();
    waiting.end();
    expect(await reading).toEqual([]);
  });

  it('takes nothing after its end', async () => {
    const queue = new EventQueue<number>();
    queue.end();
    await queue.push(1);
    expect(await readAll(queue)).toEqual([]);
  });

  it('throws its failure after what came before it, and keeps the first', async () => {
    const queue = new EventQueue<number>();
    await queue.push(1);
    queue.end({ error: new Error('first') });
    queue.end({ error: new Error('second') });
    queue.end();
    const events = queue.read();
    expect(await events.next()).toEqual({ done: false, value: 1 });
    await expect(events.next()).rejects.toThrow('first');
  });

  it('keeps an end without a failure', async () => {
    const queue = new EventQueue<number>();
    queue.end();
    queue.end({ error: new Error('late') });
    expect(await readAll(queue)).toEqual([]);
  });
});
