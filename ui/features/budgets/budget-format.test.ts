import { describe, expect, it } from 'vitest';
import type { Budget } from '../../../daemon/contract/work/budgets.js';
import { findFault, findWorst, formatScope, formatShare, formatSpent, toEdit, toTexts } from './budget-format.js';

const none = { tokens: null, cost_usd: null, minutes: null, turns: null };
const budget = {
  scope: 'member:developer',
  name: 'Developer',
  limits: { ...none, tokens: 2_000, cost_usd: 1.5 },
  spent: { tokens: 1_234, cost_usd: null, minutes: 1.55, turns: 2 },
  shares: { ...none, tokens: 0.617, cost_usd: 0 },
  not_reported: { tokens: [], cost_usd: ['acp', 'api'] },
} as unknown as Budget;

describe('the words of a budget', () => {
  it('says what was spent of what, and who reports nothing', () => {
    expect(formatSpent(budget, 'tokens')).toBe('1,234 of 2,000');
    expect(formatSpent(budget, 'cost_usd')).toBe('not reported by acp, api of $1.50');
    expect(formatSpent(budget, 'minutes')).toBe('1.6');
    expect(findWorst(budget)).toBe('tokens');
    expect(formatShare(0.999)).toBe('99 %');
  });

  it('names the scope', () => {
    expect(formatScope(budget)).toBe('Developer today');
    expect(formatScope({ scope: 'day', name: '' })).toBe('all turns today');
    expect(formatScope({ scope: 'conversation:c', name: 'A \u202eport' })).toBe('“A \\u202eport”');
  });

  it('reads a form, in which nothing is no limit', () => {
    expect(toEdit({ ...toTexts(budget.limits), turns: ' 5 ', cost_usd: '' })).toEqual({
      ...none,
      tokens: 2_000,
      turns: 5,
    });
    expect(findFault('tokens', '1.5')).toMatch(/whole/);
    expect(findFault('cost_usd', '0')).toMatch(/above 0/);
    expect([findFault('cost_usd', '1.5'), findFault('turns', '')]).toEqual([undefined, undefined]);
  });
});
