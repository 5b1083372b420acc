import type { Budget, BudgetEdit, BudgetKind } from '../../../daemon/contract/work/budgets.js';
import { toDisplayText } from '../../lib/format/display-text.js';

export const BUDGET_KINDS = ['tokens', 'cost_usd', 'minutes', 'turns'] as const satisfies readonly BudgetKind[];
/** The raise that is offered when a budget is reached, in percent. */
export const RAISE_PERCENT = 50;

const count = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

export const KIND_LABELS: Readonly<Record<BudgetKind, string>> = {
  tokens: 'Tokens',
  cost_usd: 'Cost',
  minutes: 'Minutes',
  turns: 'Turns',
};

const formatAmount = (kind: BudgetKind, amount: number) =>
  kind === 'cost_usd' ? `$${amount.toFixed(amount > 0 && amount < 0.01 ? 4 : 2)}` : count.format(amount);

/** A share in whole percent. It is 100 % only when the limit is reached. */
export const formatShare = (share: number) => `${Math.floor(share * 100)} %`;

/** What the budget is about: `all turns today`, `Developer today`, `“Port of the app”`. */
export function formatScope({ scope, name }: Pick<Budget, 'scope' | 'name'>): string {
  if (scope === 'day') return 'all turns today';
  if (scope.startsWith('member:')) return `${toDisplayText(name || scope.slice('member:'.length))} today`;
  return `“${toDisplayText(name)}”`;
}

/** What was spent of one kind: `34 of 100`, `34`, or which clients report none. */
export function formatSpent({ spent, limits, not_reported }: Budget, kind: BudgetKind): string {
  const silent = kind === 'tokens' || kind === 'cost_usd' ? not_reported[kind] : [];
  const amount = spent[kind];
  const taken =
    amount === null
      ? silent.length > 0
        ? `not reported by ${silent.join(', ')}`
        : 'none yet'
      : formatAmount(kind, amount);
  const limit = limits[kind];
  return limit === null ? taken : `${taken} of ${formatAmount(kind, limit)}`;
}

/** The kind of which the largest share is spent: the one that a question is about. */
export function findWorst({ shares }: Budget): BudgetKind | undefined {
  const known = BUDGET_KINDS.filter((kind) => shares[kind] !== null);
  return known.toSorted((a, b) => (shares[b] ?? 0) - (shares[a] ?? 0))[0];
}

/** How many turns wait; empty without any. */
export function formatWaiting(waiting: number): string {
  if (waiting === 0) return '';
  return waiting === 1 ? '1 message waits for it.' : `${waiting} messages wait for it.`;
}

type LimitTexts = Readonly<Record<BudgetKind, string>>;

/** The limits as texts of a form; empty without a limit. */
export const toTexts = (limits: Budget['limits']): LimitTexts => ({
  tokens: String(limits.tokens ?? ''),
  cost_usd: String(limits.cost_usd ?? ''),
  minutes: String(limits.minutes ?? ''),
  turns: String(limits.turns ?? ''),
});

/** What is wrong with the text of a limit; undefined for a valid or empty one. */
export function findFault(kind: BudgetKind, text: string): string | undefined {
  const isWhole = kind === 'tokens' || kind === 'turns';
  const isNumber = (isWhole ? /^\d{1,12}$/ : /^\d{1,9}(\.\d{1,4})?$/).test(text.trim()) && Number(text) > 0;
  if (text.trim() === '' || isNumber) return undefined;
  return isWhole ? 'A whole number above 0, or nothing for no limit.' : 'A number above 0, or nothing for no limit.';
}

export const toEdit = (texts: LimitTexts): BudgetEdit =>
  Object.fromEntries(
    BUDGET_KINDS.map((kind) => [kind, texts[kind].trim() === '' ? null : Number(texts[kind])]),
  ) as BudgetEdit;
