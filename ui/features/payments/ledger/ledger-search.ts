import type { CALL_MODES, LEDGER_SIDES, PAYMENT_STATES } from '../../../../daemon/contract/payments.js';

/** Repeated from the contract, whose types verify the lists: the dashboard imports no code of the daemon. */
export const SIDES = ['earned', 'spent'] as const satisfies typeof LEDGER_SIDES;
export const STATES = [
  'waiting',
  'challenged',
  'paid',
  'settled',
  'owed',
  'refunded',
  'failed',
  'refused',
  'expired',
] as const satisfies typeof PAYMENT_STATES;
export const MODES = ['free', 'deposit', 'postpay', 'x402'] as const satisfies typeof CALL_MODES;

export interface LedgerFilters {
  side?: (typeof SIDES)[number] | undefined;
  state?: (typeof STATES)[number] | undefined;
  mode?: (typeof MODES)[number] | undefined;
  agent?: string | undefined;
  q?: string | undefined;
}

/** The ledger's query parameters: the filters, and the open entry. */
export interface LedgerSearch extends LedgerFilters {
  entry?: string | undefined;
}

const oneOf = <T extends string>(value: unknown, words: readonly T[]): T | undefined =>
  words.find((word) => word === value);
const text = (value: unknown, most: number): string | undefined => {
  const words = typeof value === 'number' ? String(value) : value;
  return typeof words === 'string' && words.trim() !== '' ? words.slice(0, most) : undefined;
};

/** Parses the query parameters. An invalid one is ignored. */
export function readLedgerSearch(search: Record<string, unknown>): LedgerSearch {
  return {
    side: oneOf(search['side'], SIDES),
    state: oneOf(search['state'], STATES),
    mode: oneOf(search['mode'], MODES),
    agent: text(search['agent'], 128),
    q: text(search['q'], 200),
    entry: text(search['entry'], 64),
  };
}

export const toLedgerFilters = ({ side, state, mode, agent, q }: LedgerSearch): LedgerFilters => ({
  side,
  state,
  mode,
  agent,
  q,
});
