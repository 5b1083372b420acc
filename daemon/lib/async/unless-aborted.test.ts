import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { unlessAborted } from './unless-aborted.js';

const never = new Promise<number>(() => undefined);

describe('work that a signal ends', () => {
  it('settles as it does while the signal has not aborted, and leaves no listener', async () => {
    const { signal } = new AbortController();
    expect(await unlessAborted(Promise.resolve(7), signal)).toBe(7);
    await expect(unlessAborted(Promise.reject(new Error('full')), signal)).rejects.toThrow('full');
    await Promise.resolve();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('rejects with the reason of the signal as soon as it aborts', async () => {
    const control = new AbortController();
    const work = unlessAborted(never, control.signal);
    control.abort(new Error('the caller has left'));
    await expect(work).rejects.toThrow('the caller has left');
  });

  it('rejects with the reason of a signal that has aborted already, without a listener', async () => {
    const signal = AbortSignal.abort(new Error('the caller had left'));
    await expect(unlessAborted(Promise.resolve(7), signal)).rejects.toThrow('the caller had left');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
