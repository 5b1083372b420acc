import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DeletionCancel, UNDO_MS, waited } from './deletions.js';

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('window', new EventTarget());
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('waited', () => {
  it('resolves with true when the delay is over and not before', async () => {
    const ended = vi.fn();
    void waited(UNDO_MS, new DeletionCancel()).then(ended);
    await vi.advanceTimersByTimeAsync(UNDO_MS - 1);
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(ended).toHaveBeenCalledExactlyOnceWith(true);
  });

  it('resolves with true at once on pagehide', async () => {
    const waiting = waited(UNDO_MS, new DeletionCancel());
    window.dispatchEvent(new Event('pagehide'));
    expect(await waiting).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('resolves with false after an abort, even when pagehide follows', async () => {
    const calledOff = new DeletionCancel();
    const waiting = waited(UNDO_MS, calledOff);
    calledOff.abort();
    window.dispatchEvent(new Event('pagehide'));
    expect(await waiting).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });
});
