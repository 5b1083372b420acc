import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../daemon/contract/asks.js';
import { listCallers } from './caller-format.js';

const by = (user_agent: string | null, more: Partial<Caller> = {}) => ({
  caller: { user_agent, idempotency_key: null, ...more } as Caller,
});

describe('callers', () => {
  it('are counted once each, without the operator’s own tests', () => {
    expect(listCallers([]).size).toBe(0);
    expect(listCallers([by('curl/8'), by('curl/8'), by(null), by(null)]).size).toBe(2);
    expect(listCallers([by('meshd', { test: true }), by('curl/8')]).size).toBe(1);
  });
});
