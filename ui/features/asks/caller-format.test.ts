import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../daemon/contract/asks.js';
import { countCallersInTheHour, formatCaller, listCallers } from './caller-format.js';

const by = (user_agent: string | null, more: Partial<Caller> = {}) => ({
  caller: { user_agent, idempotency_key: null, ...more } as Caller,
});

describe('callers', () => {
  it('are counted once each, without the operator’s own tests', () => {
    expect(listCallers([]).size).toBe(0);
    expect(listCallers([by('curl/8'), by('curl/8'), by(null), by(null)]).size).toBe(2);
    expect(listCallers([by('meshd', { test: true }), by('curl/8')]).size).toBe(1);
    expect(listCallers([by('Mozilla/5.0', { operator: true }), by('Mozilla/5.0')]).size).toBe(1);
  });

  it('are counted of the last hour alone', () => {
    const at = (created_at: string) => ({ ...by('curl/8'), created_at });
    const now = Date.parse('2026-11-29T12:00:00Z');
    expect(countCallersInTheHour([at('2026-11-29T11:00:01Z')], now)).toBe(1);
    expect(countCallersInTheHour([at('2026-11-29T10:59:59Z')], now)).toBe(0);
  });

  it('are named: the operator, its tests, browsers, and programs by what they say', () => {
    const names = [by('Mozilla/5.0', { operator: true }), by(null, { test: true }), by('Mozilla/5.0'), by('curl/8 x')];
    expect(names.map(({ caller }) => formatCaller(caller))).toEqual(['you', 'your tests', 'a browser', 'curl/8']);
  });
});
