import { describe, expect, it } from 'vitest';
import type { RequestDetail } from '../../../daemon/contract/asks.js';
import { createTimeline, formatCollection } from './timeline-moments.js';

const start = Date.parse('2026-11-21T12:00:00.000Z');
const at = (seconds: number) => new Date(start + seconds * 1_000).toISOString();

function aRequest(values: Partial<RequestDetail>): RequestDetail {
  return {
    request_id: 'req-1',
    member: 'consultant',
    conv: 'conv-1',
    status: 'running',
    created_at: at(0),
    client: 'builtin',
    model: 'none',
    text: 'Where?',
    session: null,
    context_docs: [],
    caller: { user_agent: null, idempotency_key: null },
    polls: [],
    collected_at: null,
    ...values,
  };
}

describe('timeline', () => {
  it('extends to the present until the request has ended', () => {
    const line = createTimeline(aRequest({ started_at: at(2), polls: [at(5)] }), start + 10_000);
    expect(line.to).toBe(start + 10_000);
    expect(line.startedAt).toBeCloseTo(0.2);
    expect(line.endedAt).toBeUndefined();
    expect(line.polls).toEqual([0.5]);
  });

  it('ends with the request when there are no later polls', () => {
    const line = createTimeline(aRequest({ finished_at: at(4), polls: [at(1)] }), start + 60_000);
    expect(line.to).toBe(start + 4_000);
    expect(line.endedAt).toBe(1);
  });

  it('extends to a poll soon after the end, and only counts a much later one', () => {
    expect(createTimeline(aRequest({ finished_at: at(4), polls: [at(5)] }), start).to).toBe(start + 5_000);
    const late = createTimeline(aRequest({ finished_at: at(4), polls: [at(1), at(4_000)] }), start);
    expect(late.to).toBe(start + 6_000);
    expect(late.laterPolls).toBe(1);
    expect(late.polls).toHaveLength(1);
  });

  it('reports whether the caller still waits', () => {
    expect(formatCollection(aRequest({}), start + 5_000)).toBe('no poll yet');
    expect(formatCollection(aRequest({ polls: [at(1)] }), start + 30_000)).toBe('the caller is waiting');
    expect(formatCollection(aRequest({ polls: [at(1)] }), start + 62_000)).toContain('may be gone');
    expect(formatCollection(aRequest({ finished_at: at(4) }), start + 5_000)).toBe('not collected yet');
    expect(formatCollection(aRequest({ finished_at: at(4), collected_at: at(5) }), start + 9_000)).toBe('collected');
  });
});
