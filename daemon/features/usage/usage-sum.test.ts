import { describe, expect, it } from 'vitest';
import type { TurnUsage } from './usage-store.js';
import { UsageSum, UsageSums } from './usage-sum.js';

const aTurn = (over: Partial<TurnUsage> = {}): TurnUsage => ({
  ...{ at_ms: 1, turn: 1, member: 'consultant', caller: 'curl', kind: 'found', latency_ms: null },
  ...{ input_tokens: null, output_tokens: null, cost_usd: null, client: 'builtin' },
  ...over,
});

function sumOf(...turns: readonly Partial<TurnUsage>[]): UsageSum {
  const sum = new UsageSum();
  for (const turn of turns) sum.add(aTurn(turn));
  return sum;
}

const NONE = { found: 0, likely: 0, none: 0, answered: 0, failed: 0, stopped: 0, refused: 0 };
const UNKNOWN = { p50_ms: null, p95_ms: null, input_tokens: null, output_tokens: null, cost_usd: null };

describe('the sum over turns', () => {
  it('of none has no latency, tokens and cost', () => {
    expect(new UsageSum().counts).toEqual({ asks: 0, ...NONE, ...UNKNOWN });
  });

  it('counts each kind of answer', () => {
    const kinds = ['found', 'likely', 'likely', 'none', 'answered', 'failed', 'stopped'] as const;
    const counts = { ...NONE, found: 1, likely: 2, none: 1, answered: 1, failed: 1, stopped: 1 };
    expect(sumOf(...kinds.map((kind) => ({ kind }))).counts).toEqual({ asks: 7, ...counts, ...UNKNOWN });
  });

  it('adds tokens and cost where they are known', () => {
    const sum = sumOf({ input_tokens: 5, cost_usd: 0.5 }, { input_tokens: 7, output_tokens: 2 }, {}, { cost_usd: 0 });
    expect(sum.counts).toMatchObject({ input_tokens: 12, output_tokens: 2, cost_usd: 0.5 });
    expect(sumOf({ input_tokens: 0 }).counts.input_tokens).toBe(0);
  });

  it('takes another one in', () => {
    const sum = sumOf({ kind: 'likely', latency_ms: 100, input_tokens: 1 }, { latency_ms: 100 });
    const other = sumOf(
      { kind: 'likely', latency_ms: 100, output_tokens: 2, cost_usd: 0.25 },
      { kind: 'failed', latency_ms: 900, input_tokens: 4 },
    );
    sum.refused = 3;
    other.refused = 4;
    sum.addSum(other);
    expect(sum.counts).toMatchObject({
      ...{ asks: 4, found: 1, likely: 2, failed: 1, refused: 7 },
      ...{ input_tokens: 5, output_tokens: 2, cost_usd: 0.25 },
    });
    expect([sum.counts.p50_ms, Math.abs((sum.counts.p95_ms ?? 0) - 900) < 27]).toEqual([
      sumOf({ latency_ms: 100 }).counts.p50_ms,
      true,
    ]);
  });
});

describe('the latency of answers', () => {
  const latencies = (...ms: readonly number[]) => sumOf(...ms.map((latency_ms) => ({ latency_ms }))).counts;

  it.each([
    [0, 0],
    [-5, 0],
    [1, 1],
    [3, 3],
    [100, 102],
    [1_000, 980],
    [60_000, 60_096],
  ])('of %i ms is told as %i', (ms, told) => {
    expect(latencies(ms)).toMatchObject({ p50_ms: told, p95_ms: told });
    expect(Math.abs(told - Math.max(0, ms))).toBeLessThanOrEqual(0.022 * ms + 1);
  });

  it('is that of the middle one and of the nineteenth of twenty, in whatever order they come', () => {
    expect(latencies(7, 1, 3)).toMatchObject({ p50_ms: 3, p95_ms: 7 });
    expect(latencies(7, 1)).toMatchObject({ p50_ms: 1, p95_ms: 7 });
    expect(latencies(...Array<number>(19).fill(1), 7)).toMatchObject({ p50_ms: 1, p95_ms: 1 });
    expect(latencies(...Array<number>(18).fill(1), 7, 7)).toMatchObject({ p50_ms: 1, p95_ms: 7 });
  });

  it('counts answers alone', () => {
    expect(sumOf({ latency_ms: 3 }, { latency_ms: null }, { latency_ms: null }).counts.p50_ms).toBe(3);
  });
});

describe('the sums by name', () => {
  const told = (sums: UsageSums) => sums.groups.map(({ name, asks, refused }) => [name, asks, refused]);

  it('come with the most asks first, then the most refused, then by name', () => {
    const sums = new UsageSums();
    for (const name of ['bolt', 'zinc', 'zinc', 'karn', 'arch', 'dorm']) sums.get(name).add(aTurn());
    sums.get('karn').refused = 2;
    sums.get('only-refused').refused = 5;
    expect(told(sums)).toEqual([
      ['zinc', 2, 0],
      ['karn', 1, 2],
      ['arch', 1, 0],
      ['bolt', 1, 0],
      ['dorm', 1, 0],
      ['only-refused', 0, 5],
    ]);
  });

  it('beyond fifty are one, which is left out when it counts nothing', () => {
    const sums = new UsageSums();
    for (let at = 0; at < 50; at += 1) sums.get(`name${at}`).add(aTurn());
    expect(sums.groups).toHaveLength(50);
    sums.get('silent');
    expect(sums.groups).toHaveLength(50);
    sums.get('zz').refused = 2;
    expect(told(sums).slice(50)).toEqual([['others', 0, 2]]);
    sums.get('zz').add(aTurn());
    sums.get('zzz').add(aTurn());
    expect(told(sums).slice(50)).toEqual([['others', 2, 0]]);
  });

  it('beyond a thousand are held as one', () => {
    const sums = new UsageSums();
    for (let at = 0; at < 1_000; at += 1) sums.get(`name${at}`).add(aTurn());
    const folded = sums.get('one-more');
    expect(sums.get('another')).toBe(folded);
    expect(sums.get('name999')).not.toBe(folded);
    folded.add(aTurn());
    expect(told(sums).at(-1)).toEqual(['others', 951, 0]);
  });
});
