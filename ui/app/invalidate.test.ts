import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { describe, expect, it } from 'vitest';
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
