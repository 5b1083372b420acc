import {
  BUDGET_COST_MAX_USD,
  BUDGET_KINDS,
  BUDGET_MINUTES_MAX,
  BUDGET_TOKENS_MAX,
  BUDGET_TURNS_MAX,
  BUDGET_WARN_PERCENT,
  type Budget,
  type BudgetEdit,
  type BudgetKind,
  type BudgetLimits,
  type BudgetState,
} from '../../contract/work/budgets.js';
import type { BudgetRow, SpentRow } from './budgets-store.js';

const MINUTE_MS = 60_000;
/** Sums of reported costs are exact to a millionth of a dollar. */
const COST_STEPS = 1e6;

export const NO_LIMITS: BudgetLimits = { tokens: null, cost_usd: null, minutes: null, turns: null };

/** The limits that hold on `day`. */
export const limitsOn = ({ limits, today_limits, today }: BudgetRow, day: string): BudgetLimits =>
  today_limits !== null && today === day ? today_limits : limits;

export function toSpent({ tokens, cost_usd, ms, turns }: SpentRow): Budget['spent'] {
  return {
    tokens,
    cost_usd: cost_usd === null ? null : Math.round(cost_usd * COST_STEPS) / COST_STEPS,
    minutes: ms / MINUTE_MS,
    turns,
  };
}

/** The share of each limit that is spent; null without a limit. */
export function toShares(limits: BudgetLimits, spent: Budget['spent']): Budget['shares'] {
  const share = (kind: BudgetKind) => (limits[kind] === null ? null : (spent[kind] ?? 0) / limits[kind]);
  return { tokens: share('tokens'), cost_usd: share('cost_usd'), minutes: share('minutes'), turns: share('turns') };
}

export function largestShare(shares: Budget['shares']): number | null {
  const known = BUDGET_KINDS.map((kind) => shares[kind]).filter((share) => share !== null);
  return known.length === 0 ? null : Math.max(...known);
}

export function toState(share: number | null): BudgetState {
  if (share === null || share * 100 < BUDGET_WARN_PERCENT) return 'ok';
  return share < 1 ? 'warned' : 'reached';
}

/** The first kind whose limit is reached. `turns` ends no turn that runs: it keeps others from starting. */
export function findReached(limits: BudgetLimits, spent: Budget['spent'], starting: number): BudgetKind | undefined {
  const counted = { ...spent, turns: spent.turns + starting };
  return BUDGET_KINDS.find((kind) => limits[kind] !== null && (counted[kind] ?? 0) >= limits[kind]);
}

const MOST: Readonly<Record<BudgetKind, number>> = {
  tokens: BUDGET_TOKENS_MAX,
  cost_usd: BUDGET_COST_MAX_USD,
  minutes: BUDGET_MINUTES_MAX,
  turns: BUDGET_TURNS_MAX,
};
/** The smallest steps of a raised limit: whole tokens and turns, cents, tenths of a minute. */
const STEPS: Readonly<Record<BudgetKind, number>> = { tokens: 1, cost_usd: 100, minutes: 10, turns: 1 };

/**
 * Raises the limits that are spent up to the warning by `percent`, from the limit or from what was spent, whichever is
 * more.
 */
export function raiseBy(percent: number, limits: BudgetLimits, spent: Budget['spent']): BudgetEdit {
  const shares = toShares(limits, spent);
  const raised: BudgetEdit = {};
  for (const kind of BUDGET_KINDS) {
    const limit = limits[kind];
    if (limit === null || toState(shares[kind]) === 'ok') continue;
    const most = (Math.max(limit, spent[kind] ?? 0) * (100 + percent)) / 100;
    // Rounded to a millionth first: 1.1 × 100 is more than 110.
    raised[kind] = Math.min(MOST[kind], Math.ceil(Number((most * STEPS[kind]).toFixed(6))) / STEPS[kind]);
  }
  return raised;
}

const WORDS: Readonly<Record<BudgetKind, (amount: number) => string>> = {
  tokens: (amount) => `${amount.toLocaleString('en')} tokens`,
  cost_usd: (amount) => `$${amount.toFixed(2)}`,
  minutes: (amount) => `${Number(amount.toFixed(1))} min`,
  turns: (amount) => (amount === 1 ? '1 turn' : `${amount.toLocaleString('en')} turns`),
};

/** `12,000 tokens of 10,000 tokens`. */
export const formatSpent = (kind: BudgetKind, limits: BudgetLimits, spent: Budget['spent']) =>
  `${WORDS[kind](spent[kind] ?? 0)} of ${WORDS[kind](limits[kind] ?? 0)}`;
