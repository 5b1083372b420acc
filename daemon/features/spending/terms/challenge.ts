import type { Challenge } from '../../../contract/payments.js';
import { CallError, formatErrorBody } from '../call-failure.js';
import { readChallenge } from './agent-answers.js';
import { type Price, type SkillOffer, toNameHere } from './skill-offer.js';

/** The terms of a payment, from a challenge that agrees with the card. */
export interface Terms {
  network: string;
  address: string;
  amount: number;
  nonce: string;
  /** Epoch seconds. */
  expiresAt: number;
}

/** A nonce that a transfer can carry as its memo. */
const NONCE = /^[\x21-\x7e]{8,128}$/;
/** A challenge that expires sooner is not paid, because the proof would arrive too late. */
const MIN_SECONDS_LEFT = 5;

/** Whether the 402 response `body` lists nothing to pay, as that of an agent that only takes deposits. */
export const hasNoTerms = (body: unknown) => readChallenge(body)?.isEmpty === true;

/**
 * Returns the terms of the challenge in `body` that this side accepts. `networks` are those that it can pay on, in
 * order of preference; the ones without real money come first. The card limits what a challenge may demand. Spec: Skill
 * call with payment.
 *
 * Throws `bad_challenge`, `unknown_network`, `wrong_wallet` (the address is not the card's), `price_above_card` and
 * `challenge_expired`.
 */
export function parseTerms(body: unknown, offer: SkillOffer, networks: readonly string[], nowSeconds: number): Terms {
  const challenge = readChallenge(body);
  if (!challenge) throw new CallError('bad_challenge', 'It asks for payment with a challenge that is none.');
  if (challenge.isEmpty)
    throw new CallError('unknown_network', `It names no way to pay for this call: ${formatErrorBody(402, body)}.`);
  if (challenge.rows.length === 0)
    throw new CallError('bad_challenge', 'Nothing that its challenge asks for is a whole number of lamports.');
  const accepts = challenge.rows.map((row) => ({ ...row, network: toNameHere(row.network, offer.localNetwork) }));
  const known = networks.flatMap((network) => accepts.filter((row) => row.network === network));
  const isAbout = (row: Challenge['accepts'][number]) => (price: Price) =>
    price.network === row.network && (row.tier === undefined || row.tier === price.tier);
  const row = known.find((one) => offer.prices.some(isAbout(one)));
  if (!row) {
    const asked = accepts.map(({ network }) => network).join(', ');
    const why = known.length > 0 ? 'its card has no price on' : 'this side does not know';
    throw new CallError('unknown_network', `It wants to be paid on a network that ${why}: ${asked}.`);
  }
  const { network, address, amount, nonce, expiresAt } = row;
  if (!NONCE.test(nonce)) throw new CallError('bad_challenge', 'The nonce of its challenge cannot be a memo.');
  if (offer.payment?.wallet !== address)
    throw new CallError('wrong_wallet', 'It wants to be paid to another address than the wallet in its card.');
  const allowed = Math.max(...offer.prices.filter(isAbout(row)).map((price) => price.amount));
  if (amount > allowed)
    throw new CallError('price_above_card', `It asks for ${amount} lamports; its card says ${allowed}.`);
  if (amount === 0) throw new CallError('bad_challenge', 'It asks for a payment of nothing.');
  if (expiresAt < nowSeconds + MIN_SECONDS_LEFT)
    throw new CallError('challenge_expired', 'Its challenge has expired before it could be paid.');
  return { network, address, amount, nonce, expiresAt };
}

/** Returns the `reason` of a 402 response, which says why the offered payment is refused. */
export function parseReason(body: unknown): string {
  const { reason, error } = (typeof body === 'object' && body !== null ? body : {}) as {
    reason?: unknown;
    error?: unknown;
  };
  const message = typeof reason === 'string' ? reason : typeof error === 'string' ? error : '';
  return /^[a-z_]{1,64}$/.test(message) ? message : 'unknown';
}
