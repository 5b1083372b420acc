import { describe, expect, it } from 'vitest';
import { createTestPaymentProcessor, PRICE, ROWS } from '../../testing/processes/test-payment-processor.js';

describe('a call without payment', () => {
  it('returns a 402 with the body of the specification, and the skill is not run', async () => {
    const payments = await createTestPaymentProcessor();
    const challenge = await payments.refused();
    const expiresAt = Math.floor(payments.clock.now() / 1000) + 600;
    expect(challenge).toEqual({
      error: 'payment_required',
      message: expect.any(String),
      x402Version: 1,
      accepts: [
        {
          scheme: 'exact',
          network: 'solana:local',
          address: payments.wallet.address,
          amount: PRICE,
          currency: 'lamports',
          nonce: challenge.nonce,
          expiresAt,
        },
      ],
      chainPayUrl: `solana:${payments.wallet.address}?amount=0.000005&memo=${challenge.nonce}`,
      nonce: challenge.nonce,
    });
    expect(payments.runs).toBe(0);
  });

  it('runs once it is paid, and is stored in the ledger with its proof', async () => {
    const payments = await createTestPaymentProcessor();
    const proof = await payments.payFor(await payments.refused());
    expect(await payments.call(proof)).toEqual({
      status: 200,
      body: { run: 1 },
      mode: 'x402',
      replayed: false,
      headers: {},
    });
    expect(payments.processor.store.findByNonce(proof.nonce)).toMatchObject({
      state: 'settled',
      mode: 'x402',
      amount: PRICE,
      signature: proof.proof,
    });
    expect(payments.processor.journal.audit()).toEqual([]);
  });

  it('offers each payable row of the card, the tier of the call first', async () => {
    const payments = await createTestPaymentProcessor();
    const prices = [
      { ...ROWS[0], tier: 'mini', amount: 100 },
      { ...ROWS[0], tier: 'max', amount: 900 },
      { unit: 'request', amount: 5, currency: 'USD', tier: 'max' },
      { unit: 'request', amount: 100, currency: 'lamports', network: 'solana:mainnet', tier: 'mini' },
    ] as typeof ROWS;
    const { accepts, chainPayUrl } = await payments.refused({}, { prices, tier: 'max' });
    expect(accepts.map(({ tier, amount, network }) => [tier, amount, network])).toEqual([
      ['max', 900, 'solana:local'],
      ['mini', 100, 'solana:local'],
    ]);
    expect(chainPayUrl).toContain('amount=0.0000009&');
  });
});

describe('an agent whose wallet also pays', () => {
  it('accepts a payment from its wallet to itself, so that the operator can call it', async () => {
    const payments = await createTestPaymentProcessor();
    await payments.network.fund(payments.wallet.address, 1_000_000n);
    const { nonce } = await payments.refused();
    const signed = await payments.chain.sign(payments.wallet, payments.wallet.address, BigInt(PRICE), nonce);
    await payments.chain.send(signed);
    expect((await payments.call({ proof: signed.signature, nonce })).mode).toBe('x402');
    expect(payments.processor.journal.audit()).toEqual([]);
  });
});

describe('watchers', () => {
  it('get an event for each state of a payment, and at most one balance event per second', async () => {
    const payments = await createTestPaymentProcessor();
    const received: string[] = [];
    payments.bus.watch((event) => {
      if (event.type === 'payment.changed') received.push(`${event.side} ${event.state} ${event.agent}`);
      if (event.type === 'payment.balance') received.push(`balance ${event.agent}`);
    });
    const offered = await payments.payFor(await payments.refused());
    await payments.call(offered);
    expect(received.splice(0)).toEqual([
      'earned challenged painter',
      'earned paid painter',
      'earned settled painter',
      'balance painter',
    ]);
    await payments.call(offered);
    expect(received).toEqual([]);
    const apiKey = await payments.deposited(10 * PRICE);
    for (let i = 0; i < 10; i += 1) await payments.call({ apiKey });
    expect(received.filter((word) => word.startsWith('balance'))).toEqual([]);
    payments.clock.advance(1000);
    expect(received.filter((word) => word.startsWith('balance'))).toEqual(['balance painter']);
    expect(received.filter((word) => word === 'earned settled painter')).toHaveLength(11);
  });

  it('get no secret', async () => {
    const payments = await createTestPaymentProcessor();
    const received: unknown[] = [];
    payments.bus.watch((event) => void received.push(event));
    const apiKey = await payments.deposited(PRICE);
    await payments.call({ apiKey });
    const { body } = await payments.call(await payments.payFor(await payments.refused()), {}, async () => ({
      status: 500,
      body: {},
    }));
    const { api_key } = (body as { refund: { api_key: string } }).refund;
    expect(received.length).toBeGreaterThan(5);
    for (const secret of [apiKey, api_key]) expect(JSON.stringify(received)).not.toContain(secret);
  });
});
