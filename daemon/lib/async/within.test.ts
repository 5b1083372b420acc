import { expect, it } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.js';
import { within } from './within.js';

it('returns what the work resolves to, and rejects as it does', async () => {
  const clock = new FakeClock();
  expect(await within(clock, 10, Promise.resolve(7))).toBe(7);
  await expect(within(clock, 10, Promise.reject(new Error('gone')))).rejects.toThrow('gone');
});

it('returns undefined when the work takes longer', async () => {
  const clock = new FakeClock();
  const found = within(clock, 10, new Promise<number>(() => undefined));
  clock.advance(10);
  expect(await found).toBeUndefined();
});

it('leaves no timer, whichever ends first', async () => {
  const clock = new FakeClock();
  await within(clock, 10, Promise.resolve(7));
  await within(clock, 10, Promise.reject(new Error('gone'))).catch(() => undefined);
  expect(clock.pending).toBe(0);
});
