import { afterEach, expect, it, vi } from 'vitest';
import { download } from './download.js';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

it('leaves the address to the browser until a later task has begun the download', () => {
  vi.useFakeTimers();
  const click = vi.fn();
  vi.stubGlobal('document', { createElement: () => ({ click }) });
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:one');
  const revoke = vi.spyOn(URL, 'revokeObjectURL').mockReturnValue();
  download('token.txt', 'text');
  vi.advanceTimersByTime(10_000);
  expect([click.mock.calls.length, revoke.mock.calls]).toEqual([1, []]);
  vi.runAllTimers();
  expect(revoke.mock.calls).toEqual([['blob:one']]);
});
