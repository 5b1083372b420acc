import type { CallErrorCode } from '../../contract/payments.js';

/**
 * Why a call has no result. `message` is shown to the operator; text from an agent in it is sanitized by
 * `formatErrorBody`.
 */
export class CallError extends Error {
  override readonly name = 'CallError';

  constructor(
    readonly code: CallErrorCode,
    message: string,
  ) {
    super(message);
  }
}

/** Failures that are the agent's fault and are reported as such. The others are this side's fault, or no one's. */
const AGENTS_FAULT: ReadonlySet<CallErrorCode> = new Set([
  'bad_card',
  'unreachable',
  'agent_failed',
  'bad_answer',
  'bad_challenge',
  'price_above_card',
  'wrong_wallet',
  'challenge_expired',
  'challenge_replayed',
  'payment_refused',
  'not_delivered',
]);

export const isAgentsFault = (code: CallErrorCode) => AGENTS_FAULT.has(code);

/** Whether the agent has a payment for which it gave nothing. */
export const keepsPayment = (code: CallErrorCode) => code === 'payment_refused' || code === 'not_delivered';

const WORDS_MAX_CHARS = 300;

/**
 * Returns the text of an agent's error body: on one line, without control characters and a final full stop, and
 * truncated. Without a text, only the status.
 */
export function formatErrorBody(status: number, body: unknown): string {
  const { error, message } = (typeof body === 'object' && body !== null ? body : {}) as {
    error?: unknown;
    message?: unknown;
  };
  const text = [error, message].filter((part) => typeof part === 'string' && part !== '').join(': ');
  const plain = text
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
    .replace(/ ?\.$/, '');
  return plain === '' ? `status ${status}` : `status ${status}, ${[...plain].slice(0, WORDS_MAX_CHARS).join('')}`;
}
