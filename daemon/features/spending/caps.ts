import type { Caps } from '../../contract/payments.js';

const DAY_MS = 86_400_000;

/** Nothing is spent without being asked for until the operator says otherwise. */
export const NO_CAPS: Caps = { per_call_lamports: 0, per_day_lamports: 0 };

/** When the day that `nowMs` is in began: days are UTC's. */
export const dayOf = (nowMs: number) => Math.floor(nowMs / DAY_MS) * DAY_MS;

const grouped = (lamports: number) => lamports.toLocaleString('en');

/**
 * Why `amount` lamports may not go out without the operator's yes, or undefined. `counted` is what was spent today or is on its way, this payment left
 * out. Nothing is asked for a payment of nothing.
 */
export function overCaps(amount: number, caps: Caps, counted: number): string | undefined {
  if (amount === 0) return undefined;
  if (amount > caps.per_call_lamports)
    return `${grouped(amount)} lamports are over the cap of ${grouped(caps.per_call_lamports)} for one payment.`;
  if (counted + amount <= caps.per_day_lamports) return undefined;
  return `With ${grouped(counted)} lamports spent or on their way today, ${grouped(amount)} more are over the cap of ${grouped(caps.per_day_lamports)} a day.`;
}
