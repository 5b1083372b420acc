import { expect, it } from 'vitest';
import { UsualLatencies } from './usual-latency.js';

it('is the median of the answers with their number, read again after an answer, and absent below five', () => {
  const latencies = [9_000, 1_000, 2_000, 3_000];
  const usual = new UsualLatencies({ listLatencies: (member) => (member === 'consultant' ? [...latencies] : []) });
  expect([usual.of('consultant'), usual.of('nobody')]).toEqual([undefined, undefined]);
  latencies.push(4_000);
  expect(usual.of('consultant')).toBeUndefined();
  usual.answered('consultant');
  expect(usual.of('consultant')).toEqual({ medianMs: 3_000, answers: 5 });
  latencies.push(100_000);
  usual.answered('consultant');
  expect(usual.of('consultant')).toEqual({ medianMs: 3_500, answers: 6 });
});

it('is that of the last 100 answers', () => {
  const limits: number[] = [];
  const listLatencies = (_member: string, limit: number) => {
    limits.push(limit);
    return [];
  };
  const usual = new UsualLatencies({ listLatencies });
  usual.of('consultant');
  usual.of('consultant');
  expect(limits).toEqual([100]);
});
