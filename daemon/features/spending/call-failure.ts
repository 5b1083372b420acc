import type { CallErrorCode } from '../../contract/payments.js';

/** Why a call came to no result. `message` is shown to the operator; what an agent said in it is cleaned by `wordsOf`. */
export class CallFailure extends Error {
  override readonly name = 'CallFailure';

  constructor(
    readonly code: CallErrorCode,
    message: string,
  ) {
    super(message);
  }
}

/** Failures that the agent is to blame for: they are reported as such. The others are this side's own doing, or nobody's. */
const AGENTS_FAULT: ReadonlySet<CallErrorCode> = new Set([
  'bad_card',
  'unreachable',
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

const WORDS_MAX_CHARS = 300;

/** What an agent's error body says, on one line, without its full stop, and no longer than fits; the status where it says nothing. */
export function wordsOf(status: number, body: unknown): string {
  const { error, message } = (typeof body === 'object' && body !== null ? body : {}) as {
    error?: unknown;
    message?: unknown;
  };
  const said = [error, message].filter((part) => typeof part === 'string' && part !== '').join(': ');
  const plain = said
    .replace(/[\p{C}\p{Z}\s]+/gu, ' ')
    .trim()
    .replace(/\.$/, '');
  return plain === '' ? `status ${status}` : `status ${status}, ${[...plain].slice(0, WORDS_MAX_CHARS).join('')}`;
}
