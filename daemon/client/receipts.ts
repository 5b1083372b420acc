import type { Receipt, ReceiptVerdict } from '../contract/asks.js';
import { type CallOptions, call } from './call.js';
import type { Daemon } from './daemon.js';

/**
 * Verifies a receipt through the daemon: whether its signature is valid and whether the key is this daemon's own. Any
 * daemon can verify any receipt.
 */
export function verifyReceipt(
  daemon: Daemon,
  receipt: Receipt | Record<string, unknown>,
  options: Pick<CallOptions, 'signal'> = {},
): Promise<ReceiptVerdict> {
  return call<ReceiptVerdict>(daemon, '/receipts/verify', { ...options, method: 'POST', body: { receipt } });
}
