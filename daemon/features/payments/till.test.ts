import { describe, expect, it } from 'vitest';
import { aTill, PAYMENT, PRICE, ROWS } from '../../testing/a-till.js';

describe('a call without payment', () => {
  it('is a 402 with the specification’s body, and nothing is carried out', async () => {
    const till = await aTill();
    const challenge = await till.refused();
    const expiresAt = Math.floor(till.clock.now() / 1000) + 600;
    expect(challenge).toEqual({
      error: 'payment_required',
      message: expect.any(String),
      x402Version: 1,
      accepts: [
        {
          scheme: 'exact',
          network: 'solana:local',
          address: till.wallet.address,
          amount: PRICE,
          currency: 'lamports',
          nonce: challenge.nonce,
          expiresAt,
        },
      ],
      chainPayUrl: `solana:${till.wallet.address}?amount=0.000005&memo=${challenge.nonce}`,
      nonce: challenge.nonce,
    });
    expect(till.runs).toBe(0);
  });

  it('is carried out once it is paid, and the call stands in the ledger with its proof', async () => {
    const till = await aTill();
    const proof = await till.payFor(await till.refused());
    expect(await till.call(proof)).toEqual({ status: 200, body: { run: 1 }, mode: 'x402', replayed: false, headers: {} });
    expect(till.till.store.findByNonce(proof.nonce)).toMatchObject({
      state: 'settled',
      mode: 'x402',
      amount: PRICE,
      signature: proof.proof,
    });
    expect(till.till.journal.audit()).toEqual([]);
  });

  it('asks for each row of the card, the call’s own tier first', async () => {
    const till = await aTill();
    const prices = [
      { ...ROWS[0], tier: 'mini', amount: 100 },
      { ...ROWS[0], tier: 'max', amount: 900 },
      { unit: 'request', amount: 5, currency: 'USD', tier: 'max' },
      { unit: 'request', amount: 100, currency: 'lamports', network: 'solana:mainnet', tier: 'mini' },
    ] as typeof ROWS;
    const { accepts, chainPayUrl } = await till.refused({}, { prices, tier: 'max' });
    expect(accepts.map(({ tier, amount, network }) => [tier, amount, network])).toEqual([
      ['max', 900, 'solana:local'],
      ['mini', 100, 'solana:local'],
    ]);
    expect(chainPayUrl).toContain('amount=0.0000009&');
  });
});

describe('deposits', () => {
  it('60 prices, 100 parallel calls: exactly 60 are answered', async () => {
    const till = await aTill();
    const apiKey = await till.deposited(60 * PRICE);
    const settled = await Promise.allSettled(Array.from({ length: 100 }, () => till.call({ apiKey })));
    const answered = settled.filter((one) => one.status === 'fulfilled').map(({ value }) => value);
    expect(answered).toHaveLength(60);
    expect(till.runs).toBe(60);
    expect(await till.till.balance('painter', PAYMENT, apiKey)).toEqual({ lamports: 0 });
  });
});
