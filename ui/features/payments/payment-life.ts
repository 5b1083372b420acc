import type { LedgerEntry, PaymentState } from '../../../daemon/contract/payments.js';
import { stateLabels } from './payment-words.js';

/** One station of a payment: reached, where it stands now, or still ahead. */
export interface Station {
  state: PaymentState;
  at: 'past' | 'now' | 'ahead';
  /** What it is called here, when not by its state. */
  words?: string;
}

/** Where an entry goes when all is well. */
function wayOf({ kind, mode, side }: Pick<LedgerEntry, 'kind' | 'mode' | 'side'>): PaymentState[] {
  if (kind === 'transfer') return ['paid', 'settled'];
  if (kind === 'topup' || mode === 'x402' || mode === null) return ['challenged', 'paid', 'settled'];
  if (mode === 'postpay') return side === 'earned' ? ['paid', 'owed', 'settled'] : ['owed', 'settled'];
  return ['paid', 'settled'];
}

/** The life of an entry as one line: what it has been through, where it stands, and what is still to come while it moves. */
export function lifeOf(entry: Pick<LedgerEntry, 'kind' | 'mode' | 'side' | 'state' | 'signature'>): Station[] {
  const { state, signature } = entry;
  const way = wayOf(entry);
  const stations = (states: PaymentState[], at: Station['at']) => states.map((one): Station => ({ state: one, at }));
  if (state === 'waiting') return [{ state, at: 'now' }, ...stations(way, 'ahead')];
  const reached = way.indexOf(state);
  if (reached !== -1) {
    return [
      ...stations(way.slice(0, reached), 'past'),
      { state, at: 'now' },
      ...stations(way.slice(reached + 1), 'ahead'),
    ];
  }
  const began: PaymentState[] =
    state === 'refused' && entry.side === 'spent'
      ? ['waiting']
      : state === 'refunded' || (state === 'failed' && signature !== null)
        ? way.filter((one) => one === 'challenged' || one === 'paid')
        : way.slice(0, way[0] === 'challenged' ? 1 : 0);
  return [...stations(began, 'past'), { state, at: 'now' }];
}

/** The same for screen readers, the current state last: `payment requested, paid, settled`. */
export const lifeWords = (stations: readonly Station[]): string =>
  stations
    .filter(({ at }) => at !== 'ahead')
    .map(({ state }) => stateLabels[state])
    .join(', ');
