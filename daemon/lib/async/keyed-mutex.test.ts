import { describe, expect, it } from 'vitest';
import { KeyedMutex } from './keyed-mutex.js';

/** Work that notes when it begins and ends, and ends when the test says so. */
function openWork(log: string[], name: string) {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const work = async () => {
    log.push(`${name} begins`);
    await ended;
    log.push(`${name} ends`);
    return name;
  };
  return { work, end };
}

const settle = async () => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};

describe('work under a key', () => {
  it('waits for all that was submitted earlier under the key, and for no other key', async () => {
    const log: string[] = [];
    const mutex = new KeyedMutex();
    const [a, b, c, other] = ['a', 'b', 'c', 'other'].map((name) => openWork(log, name)) as [
      ReturnType<typeof openWork>,
      ReturnType<typeof openWork>,
      ReturnType<typeof openWork>,
      ReturnType<typeof openWork>,
    ];
    const first = mutex.runExclusive('key', a.work);
    const second = mutex.runExclusive('key', b.work);
    const elsewhere = mutex.runExclusive('other', other.work);
    await settle();
    expect([log, mutex.size]).toEqual([['a begins', 'other begins'], 2]);
    a.end();
    expect(await first).toBe('a');
    const third = mutex.runExclusive('key', c.work);
    await settle();
    expect(log.slice(2)).toEqual(['a ends', 'b begins']);
    for (const { end } of [b, c, other]) end();
    expect(await Promise.all([second, third, elsewhere])).toEqual(['b', 'c', 'other']);
    expect(mutex.size).toBe(0);
    expect(log.filter((line) => !line.startsWith('other')).slice(3)).toEqual(['b ends', 'c begins', 'c ends']);
  });

  it('rejects as it does, and the next one runs all the same', async () => {
    const mutex = new KeyedMutex();
    const failed = mutex.runExclusive('key', () => Promise.reject(new Error('full')));
    const next = mutex.runExclusive('key', () => Promise.resolve(7));
    await expect(failed).rejects.toThrow('full');
    expect([await next, mutex.size]).toEqual([7, 0]);
  });
});

it('is idle once all that was submitted has settled, whatever its key', async () => {
  const log: string[] = [];
  const mutex = new KeyedMutex();
  const [a, b] = [openWork(log, 'a'), openWork(log, 'b')];
  void mutex.runExclusive('one', a.work);
  void mutex.runExclusive('two', b.work);
  const idle = mutex.idle().then(() => log.push('idle'));
  await settle();
  a.end();
  await settle();
  expect(log).toEqual(['a begins', 'b begins', 'a ends']);
  b.end();
  await idle;
  expect(log.slice(3)).toEqual(['b ends', 'idle']);
  await new KeyedMutex().idle();
});
