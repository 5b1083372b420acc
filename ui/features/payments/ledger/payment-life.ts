import type { LedgerEntry, PaymentState } from '../../../../daemon/contract/payments.js';
import { stateLabels } from '../payment-format.js';

/** A station of a payment: reached, current, or still ahead. */
export interface PaymentStep {
  state: PaymentState;
  at: 'past' | 'now' | 'ahead';
  /** Label, when it differs from the state's. */
  words?: string;
}

/** Returns the states that an entry passes when nothing fails. */
function listStates({ kind, mode, side }: Pick<LedgerEntry, 'kind' | 'mode' | 'side'>): PaymentState[] {
  if (kind === 'transfer') return ['paid', 'settled'];
  if (kind === 'topup' || mode === 'x402' || mode === null) return ['challenged', 'paid', 'settled'];
  if (mode === 'postpay') return side === 'earned' ? ['paid', 'owed', 'settled'] : ['owed', 'settled'];
  return ['paid', 'settled'];
}

/**
 * Returns the stations of an entry: the passed states, the current one, and those still ahead while it is in progress.
 */
export function listStations(
  entry: Pick<LedgerEntry, 'kind' | 'mode' | 'side' | 'state' | 'signature'>,
): PaymentStep[] {
  const { state, signature } = entry;
  const way = listStates(entry);
  const stations = (states: PaymentState[], at: PaymentStep['at']) =>
    states.map((one): PaymentStep => ({ state: one, at }));
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

/** Lists the reached states for screen readers, the current one last: `payment requested, paid, settled`. */
export const formatLife = (stations: readonly PaymentStep[]): string =>
  stations
    .filter(({ at }) => at !== 'ahead')
    .map(({ state }) => stateLabels[state])
    .join(', ');
