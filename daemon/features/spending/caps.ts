import type { Caps } from '../../contract/payments.js';

const DAY_MS = 86_400_000;

/** The initial caps: every payment needs approval until the operator changes them. */
export const NO_CAPS: Caps = { per_call_lamports: 0, per_day_lamports: 0 };

/** Returns the start of the UTC day that contains `nowMs`. */
export const toStartOfDay = (nowMs: number) => Math.floor(nowMs / DAY_MS) * DAY_MS;

const grouped = (lamports: number) => lamports.toLocaleString('en');

/**
 * Returns why `amount` lamports need the operator's approval, or undefined. `counted` is what was spent or reserved
 * today, without this payment. An amount of 0 never needs approval.
 */
export function findExceededCap(amount: number, caps: Caps, counted: number): string | undefined {
  if (amount === 0) return undefined;
  if (amount > caps.per_call_lamports)
    return `${grouped(amount)} lamports are over the cap of ${grouped(caps.per_call_lamports)} for one payment.`;
  if (counted + amount <= caps.per_day_lamports) return undefined;
  return (
    `With ${grouped(counted)} lamports spent or on their way today, ${grouped(amount)} more are over the cap of ` +
    `${grouped(caps.per_day_lamports)} a day.`
  );
}
