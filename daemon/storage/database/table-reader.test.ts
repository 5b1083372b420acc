import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.js';
import type { Reading } from '../peers/connection-table.js';
import { TableReader } from './table-reader.js';

const ENDS = '0100007F:9C40 0100007F:128B';
const HERE: Reading = new Map([[ENDS, 1]]);
const program = (code: string) =>
  new URL(`data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads'; ${code}`)}`);
/** A thread that reports 2 as the owner of every requested connection. */
const THREAD = program(
  "parentPort.on('message', (wanted) => parentPort.postMessage(new Map([...wanted].map((ends) => [ends, 2]))));",
);

/** As `THREAD`, until a connection named `end` or `throw` is requested. */
const MORTAL = program(
  "parentPort.on('message', (wanted) => {" +
    "if (wanted.has('end')) process.exit(3);" +
    "if (wanted.has('throw')) throw new Error('no');" +
    'parentPort.postMessage(new Map([...wanted].map((ends) => [ends, 2]))); });',
);

/** The threads that are started from now on until the test ends. */
function watchThreads(): Worker[] {
  const threads: Worker[] = [];
  const add = (thread: Worker) => threads.push(thread);
  process.on('worker', add);
  onTestFinished(() => void process.off('worker', add));
  return threads;
}

function reading(entry: URL | undefined, tookMs = 2) {
  const clock = new FakeClock();
  const here = { count: 0 };
  const reader = new TableReader(entry, clock, () => {
    here.count += 1;
    clock.advance(tookMs);
    return HERE;
  });
  onTestFinished(() => reader.close());
  const read = () => new Promise<Reading>((resolve) => reader.soon(() => new Set([ENDS]), resolve));
  const owner = async () => ((await read()) as ReadonlyMap<string, number>).get(ENDS);
  /** Returns the owner from the next reading, after the pause that follows the last one. */
  const next = () => {
    const one = owner();
    clock.advance(30);
    return one;
  };
  return { reader, clock, here, owner, next };
}

describe('TableReader', () => {
  it('reads on the event loop while readings are few, and pauses four times as long as each took', async () => {
    const { clock, here, owner } = reading(THREAD);
    expect(await owner()).toBe(1);
    const second = owner();
    clock.advance(7);
    expect(here.count).toBe(1);
    clock.advance(1);
    expect([await second, here.count]).toEqual([1, 2]);
  });

  it('reads on a thread when many readings follow each other, until none was needed for a while', async () => {
    const { clock, here, next } = reading(THREAD);
    for (let count = 0; count < 8; count += 1) await next();
    expect([await next(), await next(), await next(), here.count]).toEqual([2, 2, 2, 8]);
    clock.advance(60_000);
    expect(await next()).toBe(1);
  });

  it('reads on a thread from the second reading on when one takes long', async () => {
    const { here, next } = reading(THREAD, 3);
    expect([await next(), await next(), await next(), here.count]).toEqual([1, 2, 2, 1]);
  });

  it('keeps the thread while readings are slow, however rarely they are needed', async () => {
    const { clock, next } = reading(
      program(
        "import { threadId } from 'node:worker_threads';" +
          "parentPort.on('message', ([ends]) => parentPort.postMessage(new Map([[ends, threadId]])));",
      ),
      3,
    );
    await next();
    const thread = await next();
    clock.advance(60_000);
    expect(await next()).toBe(thread);
  });

  it('reads on the event loop when the thread ends during a reading', async () => {
    const { here, next } = reading(program("parentPort.on('message', () => process.exit(3));"));
    for (let count = 0; count < 8; count += 1) await next();
    expect([await next(), here.count]).toEqual([1, 9]);
  });

  it('reads on the event loop when there is no thread', async () => {
    const { here, next } = reading(undefined);
    for (let count = 0; count < 20; count += 1) expect(await next()).toBe(1);
    expect(here.count).toBe(20);
  });

  it('regains two readings a second on the event loop, up to eight', async () => {
    const { clock, here, owner } = reading(THREAD, 0);
    for (let count = 0; count < 8; count += 1) await owner();
    clock.advance(500);
    expect([await owner(), here.count]).toEqual([1, 9]);
    clock.advance(60_000);
    for (let count = 0; count < 8; count += 1) await owner();
    expect([await owner(), here.count]).toEqual([2, 17]);
  });

  it('rests after a reading on the thread as long as it took', async () => {
    const { clock, here, next, owner } = reading(THREAD, 3);
    await next();
    const slow = owner();
    clock.advance(12);
    expect([await slow, here.count]).toEqual([2, 1]);
    // The thread took no time of this clock, so that the next reading begins at once.
    expect(await owner()).toBe(2);
  });

  it('reads at once for a caller that cannot wait, and has the thread ready when that takes long', async () => {
    const clock = new FakeClock();
    const started: number[] = [];
    const readNow = (wanted: ReadonlySet<string>): Reading => {
      started.push(wanted.size);
      clock.advance(3);
      return HERE;
    };
    const reader = new TableReader(THREAD, clock, readNow);
    onTestFinished(() => reader.close());
    expect([reader.now(new Set([ENDS, 'other'])), started]).toEqual([HERE, [2]]);
    const later = new Promise<Reading>((resolve) => reader.soon(() => new Set([ENDS]), resolve));
    clock.advance(12);
    expect([await later, started]).toEqual([new Map([[ENDS, 2]]), [2]]);
  });

  it.each([
    ['none after a fast reading', THREAD, 2, 0],
    ['one, of limited memory, after a slow reading', THREAD, 3, 1],
    ['none after a slow reading when there is no program for it', undefined, 3, 0],
  ])('starts threads before a reading needs them: %s', async (_when, entry, tookMs, count) => {
    const threads = watchThreads();
    const { reader } = reading(entry, tookMs);
    reader.now(new Set([ENDS]));
    reader.now(new Set([ENDS]));
    await new Promise(setImmediate);
    expect(threads).toHaveLength(count);
    for (const thread of threads) expect(thread.resourceLimits).toMatchObject({ maxOldGenerationSizeMb: 64 });
  });

  it('gives each reading of a thread to the one who wanted it, once, also when the thread ends later', async () => {
    const threads = watchThreads();
    const { clock, here, next, reader } = reading(THREAD);
    for (let count = 0; count < 8; count += 1) await next();
    const given: string[] = [];
    const give = (name: string) =>
      new Promise<void>((resolve) =>
        reader.soon(
          () => new Set([name]),
          (found) => {
            given.push(`${name}: ${[...(found as ReadonlyMap<string, number>).keys()]}`);
            resolve();
          },
        ),
      );
    clock.advance(30);
    for (const name of ['a', 'b', 'c']) await give(name);
    const [thread] = threads as [Worker];
    const ended = once(thread, 'exit');
    clock.advance(60_000);
    await ended;
    expect([given, here.count, threads.length]).toEqual([['a: a', 'b: b', 'c: c'], 8, 1]);
  });
});

describe('a thread that ends during a reading', () => {
  /** A reader that has no more readings of its own, whose thread ends as its first reading begins. */
  async function readingEnded(how: string, slowMs = 0) {
    const threads = watchThreads();
    const opened = reading(MORTAL);
    const { clock, next, reader } = opened;
    for (let count = 0; count < 8; count += 1) await next();
    const read = new Promise<Reading>((resolve) => reader.soon(() => new Set([how]), resolve));
    await new Promise(setImmediate);
    clock.advance(slowMs);
    expect(await read).toBe(HERE);
    return { ...opened, threads };
  }

  it.each(['end', 'throw'])('is replaced by the next reading that needs one: %s', async (how) => {
    const { here, next, threads } = await readingEnded(how);
    expect([await next(), here.count, threads.length]).toEqual([2, 9, 2]);
  });

  it('is not awaited any more', async () => {
    const { clock } = await readingEnded('end');
    expect(clock.pending).toBe(0);
  });

  it('is replaced even when the event loop may read again, if the reading took long', async () => {
    const { clock, here, next } = await readingEnded('end', 1);
    clock.advance(60_000);
    expect([await next(), here.count]).toEqual([2, 9]);
  });
});
