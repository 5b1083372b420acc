import type { LedgerEntry } from '../../../../daemon/contract/payments.js';
import { formatCounterparty } from '../payment-format.js';

/**
 * The entries of one call: what was paid and what was earned, when both sides are of this daemon, and the transfer by
 * hand that paid it.
 */
export interface CallGroup {
  /** The entry that the row shows. */
  entry: LedgerEntry;
  others: LedgerEntry[];
}

/** The call comes before what paid it, and the operator's own call before what it earned. */
const rank = ({ kind, side }: LedgerEntry) => (kind === 'call' ? 0 : 2) + (side === 'spent' ? 0 : 1);

/**
 * Groups entries that have a nonce or a transaction in common, each group where its newest entry stands. Calls without
 * either, which are free, on credit or from a deposit, stay apart.
 */
export function groupByCall(entries: readonly LedgerEntry[]): CallGroup[] {
  const groups: LedgerEntry[][] = [];
  const known = new Map<string, LedgerEntry[]>();
  for (const entry of entries) {
    const keys = [entry.nonce, entry.signature].filter((key) => key !== null);
    const earlier = keys.map((key) => known.get(key)).find((one) => one !== undefined);
    const group = earlier ?? [];
    if (!earlier) groups.push(group);
    group.push(entry);
    for (const key of keys) known.set(key, group);
  }
  return groups.flatMap((group) => {
    const [entry, ...others] = [...group].sort((a, b) => rank(a) - rank(b));
    return entry ? [{ entry, others }] : [];
  });
}

/** Whether the group is a payment request that nobody paid. */
export const isUnpaidRequest = ({ entry, others }: CallGroup): boolean =>
  others.length === 0 && entry.side === 'earned' && entry.state === 'expired';

/** Whether the money stayed within this daemon. */
export const isWithin = ({ entry, others }: CallGroup): boolean => others.some(({ side }) => side !== entry.side);

/** Names payer and payee of a call, as the second line of its row. */
export function formatParties({ entry, others }: CallGroup): string {
  const more = others.map((other) => (other.kind === 'transfer' ? 'by hand' : `earned by ${other.agent}`));
  return [formatCounterparty(entry), ...new Set(more)].join(' · ');
}
