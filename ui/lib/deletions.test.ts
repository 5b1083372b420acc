import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DeletionCancel, UNDO_MS, useDeletion, waited } from './deletions.js';

const say = vi.hoisted(() => vi.fn());
vi.mock('../components/toasts.js', () => ({ useToast: () => say }));

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

it('says why nothing was deleted', async () => {
  const refuse = () => Promise.reject(new Error('No majority of the servers confirmed the change.'));
  let remove: ReturnType<typeof useDeletion<string>> | undefined;
  const Row = () => {
    remove = useDeletion('post', refuse);
    return null;
  };
  const client = new QueryClient();
  renderToStaticMarkup(createElement(QueryClientProvider, { client }, createElement(Row)));
  remove?.('p_1', 'A lamp', 'p_1');
  await vi.advanceTimersByTimeAsync(UNDO_MS);
  expect(say).toHaveBeenCalledExactlyOnceWith({
    text: '“A lamp” was not deleted. No majority of the servers confirmed the change.',
    tone: 'failed',
  });
});
