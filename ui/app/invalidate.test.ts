import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { describe, expect, it, vi } from 'vitest';
import { invalidate } from './invalidate.js';

describe('invalidate', () => {
  it('reads again after a pending first read, which may be older', async () => {
    const client = new QueryClient();
    let answerFirst = (_status: string) => {};
    let reads = 0;
    const observer = new QueryObserver(client, {
      queryKey: ['request', 'r'],
      queryFn: () => {
        reads += 1;
        if (reads > 1) return Promise.resolve('done');
        return new Promise<string>((resolve) => {
          answerFirst = resolve;
        });
      },
    });
    const seen: string[] = [];
    const isDone = new Promise<void>((resolve) => {
      observer.subscribe(({ data }) => {
        if (data !== undefined && data !== seen.at(-1)) seen.push(data);
        if (data === 'done') resolve();
      });
    });
    invalidate(client, ['request', 'r']);
    answerFirst('running');
    await isDone;
    expect(seen).toEqual(['running', 'done']);
    expect(reads).toBe(2);
    client.clear();
  });

  it('lets a pending read end under a stream of changes, and reads once more after it', async () => {
    const client = new QueryClient();
    const answers: ((status: string) => void)[] = [];
    let aborts = 0;
    const observer = new QueryObserver(client, {
      queryKey: ['request', 'r'],
      initialData: 'queued',
      queryFn: ({ signal }) =>
        new Promise<string>((resolve) => {
          signal.addEventListener('abort', () => {
            aborts += 1;
          });
          answers.push(resolve);
        }),
    });
    const seen: (string | undefined)[] = [];
    const isDone = new Promise<void>((resolve) => {
      observer.subscribe(({ data }) => {
        if (data !== seen.at(-1)) seen.push(data);
        if (data === 'done') resolve();
      });
    });
    for (let i = 0; i < 3; i += 1) invalidate(client, ['request']);
    answers[0]?.('running');
    await vi.waitFor(() => expect(answers).toHaveLength(2));
    answers[1]?.('done');
    await isDone;
    expect({ seen, aborts, reads: answers.length }).toEqual({
      seen: ['queued', 'running', 'done'],
      aborts: 0,
      reads: 2,
    });
    client.clear();
  });

  it('reads again at once what was read before', async () => {
    const client = new QueryClient();
    let reads = 0;
    const observer = new QueryObserver(client, { queryKey: ['requests'], queryFn: async () => ++reads });
    const has = (count: number) =>
      new Promise<void>((resolve) => {
        observer.subscribe(({ data }) => {
          if (data === count) resolve();
        });
      });
    await has(1);
    invalidate(client, ['requests']);
    await has(2);
    expect(reads).toBe(2);
    client.clear();
  });
});
