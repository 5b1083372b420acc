import { describe, expect, it } from 'vitest';
import type { Budget, BudgetLimits } from '../../contract/work/budgets.js';
import { isDaily, parseScope, toConversationScope, toMemberScope } from './budget-scope.js';
import {
  findReached,
  formatSpent,
  largestShare,
  limitsOn,
  NO_LIMITS,
  raiseBy,
  toShares,
  toSpent,
  toState,
} from './budget-state.js';
import type { BudgetRow } from './budgets-store.js';

type Spent = Budget['spent'];
const limits = (some: Partial<BudgetLimits>): BudgetLimits => ({ ...NO_LIMITS, ...some });
const spent = (some: Partial<Spent>): Spent => ({ tokens: null, cost_usd: null, minutes: 0, turns: 0, ...some });

describe('a scope', () => {
  it.each<[string, object | undefined]>([
    ['day', { kind: 'day' }],
    ['member:guide', { kind: 'member', member: 'guide' }],
    ['conversation:c1', { kind: 'conversation', conv: 'c1' }],
    ['conversation:c:1', { kind: 'conversation', conv: 'c:1' }],
    ...['', 'days', 'member', 'member:', ':guide', 'month:7', 'conversation', 'conversation:'].map(
      (text): [string, undefined] => [text, undefined],
    ),
  ])('is parsed: %j', (text, scope) => {
    expect(parseScope(text)).toEqual(scope);
  });

  it('counts by the day, except that of a conversation', () => {
    expect(['day', toMemberScope('guide'), toConversationScope('c1')].map(isDaily)).toEqual([true, true, false]);
  });
});

it('limits of today hold on that day alone', () => {
  const row: BudgetRow = {
    ...{ scope: 'day', limits: limits({ turns: 1 }), today_limits: limits({ turns: 2 }), today: '2026-11-21' },
    ...{ state: 'ok', state_day: '2026-11-21', since_ms: null, warned_day: null, is_left: 0 },
  };
  expect(limitsOn(row, '2026-11-21').turns).toBe(2);
  expect(limitsOn(row, '2026-11-22').turns).toBe(1);
  expect(limitsOn({ ...row, today_limits: null }, '2026-11-21').turns).toBe(1);
});

it('what was spent has minutes, and costs to a millionth of a dollar', () => {
  const row = { tokens: 7, cost_usd: 0.1 + 0.2, ms: 90_000, turns: 3, unreported: {} };
  expect(toSpent(row)).toEqual({ tokens: 7, cost_usd: 0.3, minutes: 1.5, turns: 3 });
  expect(toSpent({ ...row, tokens: null, cost_usd: null })).toMatchObject({ tokens: null, cost_usd: null });
});

it('the share of each limit is told, and none without a limit or a report', () => {
  const shares = toShares(
    limits({ tokens: 100, cost_usd: 2, minutes: 4 }),
    spent({ tokens: 50, minutes: 3, turns: 9 }),
  );
  expect(shares).toEqual({ tokens: 0.5, cost_usd: 0, minutes: 0.75, turns: null });
  expect(largestShare(shares)).toBe(0.75);
  expect(largestShare(toShares(NO_LIMITS, spent({ turns: 9 })))).toBeNull();
});

it.each([
  [null, 'ok'],
  [0.799, 'ok'],
  [0.8, 'warned'],
  [0.999, 'warned'],
  [1, 'reached'],
  [2, 'reached'],
] as const)('a share of %s is %s', (share, state) => {
  expect(toState(share)).toBe(state);
});

it.each([
  ['nothing without limits', NO_LIMITS, spent({ tokens: 9, turns: 9 }), 9, undefined],
  ['nothing below', limits({ tokens: 10, minutes: 2 }), spent({ tokens: 9, minutes: 1.9 }), 9, undefined],
  ['nothing of what was never reported', limits({ tokens: 1, cost_usd: 1 }), spent({}), 0, undefined],
  ['tokens before cost', limits({ tokens: 10, cost_usd: 1 }), spent({ tokens: 10, cost_usd: 1 }), 0, 'tokens'],
  ['cost', limits({ tokens: 10, cost_usd: 1 }), spent({ tokens: 9, cost_usd: 1 }), 0, 'cost_usd'],
  ['minutes', limits({ minutes: 1 }), spent({ minutes: 1 }), 0, 'minutes'],
  ['turns, with those that start', limits({ turns: 3 }), spent({ turns: 1 }), 2, 'turns'],
  ['nothing while one may start', limits({ turns: 3 }), spent({ turns: 1 }), 1, undefined],
] as const)('the limit that is reached is %s', (_, limit, was, starting, kind) => {
  expect(findReached(limit, was, starting)).toBe(kind);
});

describe('a raise by percent', () => {
  it.each([
    ['is of the limit', 50, { tokens: 100 }, { tokens: 80 }, { tokens: 150 }],
    ['is of what was spent beyond it', 50, { tokens: 100 }, { tokens: 120 }, { tokens: 180 }],
    ['leaves what is not warned of', 50, { tokens: 100, turns: 10 }, { tokens: 79, turns: 8 }, { turns: 15 }],
    ['is exact where the machine is not', 10, { tokens: 100 }, { tokens: 100 }, { tokens: 110 }],
    [
      'is of whole turns and tokens',
      50,
      { tokens: 101, turns: 3 },
      { tokens: 101, turns: 3 },
      { tokens: 152, turns: 5 },
    ],
    ['is of whole cents', 50, { cost_usd: 0.05 }, { cost_usd: 0.05 }, { cost_usd: 0.08 }],
    ['is of tenths of minutes', 25, { minutes: 0.3 }, { minutes: 0.3 }, { minutes: 0.4 }],
  ] as const)('%s', (_, percent, limit, was, raised) => {
    expect(raiseBy(percent, limits(limit), spent(was))).toEqual(raised);
  });

  it('ends at the most that a limit can be', () => {
    const most = { tokens: 1e12, cost_usd: 1e6, minutes: 525_600, turns: 1e6 };
    expect(raiseBy(50, most, most)).toEqual(most);
  });
});

it.each([
  ['tokens', { tokens: 12_000 }, { tokens: 10_000 }, '12,000 tokens of 10,000 tokens'],
  ['tokens', {}, { tokens: 10 }, '0 tokens of 10 tokens'],
  ['cost_usd', { cost_usd: 1.5 }, { cost_usd: 1 }, '$1.50 of $1.00'],
  ['minutes', { minutes: 2.04 }, { minutes: 2 }, '2 min of 2 min'],
  ['minutes', { minutes: 2.16 }, { minutes: 2 }, '2.2 min of 2 min'],
  ['turns', { turns: 1 }, { turns: 1 }, '1 turn of 1 turn'],
  ['turns', { turns: 1_200 }, { turns: 2 }, '1,200 turns of 2 turns'],
] as const)('%s are told in words: %j of %j', (kind, was, limit, words) => {
  expect(formatSpent(kind, limits(limit), spent(was))).toBe(words);
});
