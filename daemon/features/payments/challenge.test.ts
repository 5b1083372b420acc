import { expect, it } from 'vitest';
import { REFUSALS } from '../../contract/payments.js';
import { challengeBody } from './challenge.js';

const WHEN = { nonce: 'nonce-1', expiresMs: 1_700_000_000_999 };
const TERM = { network: 'solana:local', address: 'ours', amount: 5000 };

it('a challenge states each price, where and until when it is paid, and the payment URL of the first', () => {
  const other = { ...TERM, address: 'there', amount: 7, tier: 'max' };
  const row = { scheme: 'exact', currency: 'lamports', nonce: 'nonce-1', expiresAt: 1_700_000_000 };
  expect(challengeBody([TERM, other], WHEN, undefined)).toStrictEqual({
    error: 'payment_required',
    message: 'This call is to be paid: send its amount with the nonce as memo, then the call again with its proof.',
    x402Version: 1,
    accepts: [
      { ...TERM, ...row },
      { ...other, ...row },
    ],
    chainPayUrl: 'solana:ours?amount=0.000005&memo=nonce-1',
    nonce: 'nonce-1',
  });
  expect('tier' in (challengeBody([TERM], WHEN, undefined).accepts[0] ?? {})).toBe(false);
});

it('a challenge that nothing pays has no payment URL; a spent nonce is its own error', () => {
  expect(challengeBody([], WHEN, undefined)).toMatchObject({ accepts: [], chainPayUrl: '' });
  expect(challengeBody([TERM], WHEN, 'nonce_spent', 'nonce_spent')).toMatchObject({
    error: 'nonce_spent',
    reason: 'nonce_spent',
  });
});

/** What a person must learn from each refusal. */
const SAID: Record<(typeof REFUSALS)[number], string> = {
  unknown_nonce: 'never issued here',
  nonce_expired: 'has run out',
  nonce_of_other_skill: 'issued for something else',
  price_changed: 'price has changed',
  nonce_spent: 'paid for another request',
  signature_spent: 'paid for something already',
  not_yet_visible: 'send the same proof again in a moment; the nonce stays valid',
  transaction_failed: 'was not carried out',
  wrong_network: 'on another network',
  wrong_wallet: 'pays somebody else',
  amount_too_small: 'less than the price',
  memo_missing: 'has no memo',
  memo_twice: 'more than one memo',
  memo_of_other_nonce: 'pay with this nonce as its memo',
  older_than_challenge: 'older than the challenge',
  balance_too_small: 'top up, or pay this challenge',
  reputation_too_low: 'callers of a better reputation',
  too_many_unpaid: 'settle them, or pay this challenge',
  free_calls_are_signed: 'Mesh-Sig: v1 <pubkey> <ts> <nonce> <sig>`, or pay this challenge.',
  network_unavailable: 'nothing is put on credit',
};

it.each(REFUSALS)('a challenge says what was refused and what to do: %s', (reason) => {
  expect(challengeBody([TERM], WHEN, reason)).toMatchObject({ reason, message: expect.stringContaining(SAID[reason]) });
});
