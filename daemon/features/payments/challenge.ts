import { type Challenge, type Refusal, X402_VERSION } from '../../contract/payments.js';
import { chainPayUrl } from '../../lib/agents/chain-pay-url.js';
import type { Term } from './payments-store.js';

/** Human-readable messages for the reasons why a payment is refused. */
const REFUSAL_MESSAGES: Readonly<Record<Refusal, string>> = {
  unknown_nonce: 'That nonce was never issued here: pay this challenge.',
  nonce_expired: 'That challenge has run out: pay this one.',
  nonce_of_other_skill: 'That nonce was issued for something else: pay this challenge.',
  price_changed: 'The price has changed since that challenge: pay this one.',
  nonce_spent: 'That nonce has paid for another request: pay this challenge.',
  signature_spent: 'That transaction has paid for something already: pay this challenge.',
  not_yet_visible:
    'The transaction cannot be seen as confirmed yet: send the same proof again in a moment; the nonce stays valid.',
  transaction_failed: 'That transaction was not carried out: pay this challenge.',
  wrong_network: 'That transaction is on another network: pay on one that is accepted.',
  wrong_wallet: 'That transaction pays somebody else: pay to the address of this challenge.',
  amount_too_small: 'That transaction pays less than the price: pay this challenge in full.',
  memo_missing: 'That transaction has no memo: pay with the nonce as its memo.',
  memo_twice: 'That transaction has more than one memo: pay with the nonce as its only memo.',
  memo_of_other_nonce: 'The memo of that transaction is another: pay with this nonce as its memo.',
  older_than_challenge: 'That transaction is older than the challenge: pay this one.',
  balance_too_small: 'The balance does not hold the price: top up, or pay this challenge.',
  reputation_too_low: 'Post-pay is for callers of a better reputation: pay this challenge.',
  too_many_unpaid: 'Too many calls are not paid for yet: settle them, or pay this challenge.',
  free_calls_are_signed:
    'Free calls are for signed callers: send the header `Mesh-Sig: v1 <pubkey> <ts> <nonce> <sig>`, or pay ' +
    'this challenge.',
  network_unavailable: 'The network cannot be reached now, so nothing is put on credit: pay this challenge.',
};

/** Builds the body of a 402 response: what to pay, to which address and until when. Spec: Skill call with payment. */
export function challengeBody(
  terms: readonly Term[],
  { nonce, expiresMs }: { nonce: string; expiresMs: number },
  reason: Refusal | undefined,
  error: 'payment_required' | 'nonce_spent' = 'payment_required',
): Challenge & { error: typeof error } {
  const [first] = terms;
  return {
    error,
    message:
      reason === undefined
        ? 'This call is to be paid: send its amount with the nonce as memo, then the call again with its proof.'
        : REFUSAL_MESSAGES[reason],
    x402Version: X402_VERSION,
    accepts: terms.map(({ network, address, amount, tier }) => ({
      scheme: 'exact',
      network,
      address,
      amount,
      currency: 'lamports',
      nonce,
      expiresAt: Math.floor(expiresMs / 1000),
      ...(tier === undefined ? {} : { tier }),
    })),
    chainPayUrl: first ? chainPayUrl({ address: first.address, lamports: BigInt(first.amount), memo: nonce }) : '',
    nonce,
    ...(reason === undefined ? {} : { reason }),
  };
}
