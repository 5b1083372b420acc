import { formatDuration } from '../../lib/format/time-format.js';
import { keyChoice } from '../../lib/keys/key-choice.js';

export type SpendDecision = 'allow' | 'deny';

/** In the order of their keys: 1 allows, 2 denies. */
export const APPROVAL_KEYS = ['allow', 'deny'] as const satisfies readonly SpendDecision[];
export const decisionLabels: Record<SpendDecision, string> = { allow: 'Allow this payment', deny: 'Deny' };

/** Returns the decision of a key while the question has the focus. */
export const approvalOfKey = (event: Parameters<typeof keyChoice>[1]): SpendDecision | undefined =>
  keyChoice(APPROVAL_KEYS, event);

/** Formats the remaining time of an approval. `expiresAt` is in epoch seconds, `now` in epoch milliseconds. */
export function formatApprovalWait(expiresAt: number, now: number): string {
  const leftMs = expiresAt * 1_000 - now;
  return leftMs > 0
    ? `Denied in ${formatDuration(Math.ceil(leftMs / 60_000) * 60_000)} unless you answer.`
    : 'Expired: nothing is paid.';
}
