import { describe, expect, it } from 'vitest';
import { aTill, PRICE, ROWS } from '../../testing/a-till.js';

describe('a call without payment', () => {
  it('returns a 402 with the body of the specification, and the skill is not run', async () => {
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

  it('runs once it is paid, and is stored in the ledger with its proof', async () => {
    const till = await aTill();
    const proof = await till.payFor(await till.refused());
    expect(await till.call(proof)).toEqual({
      status: 200,
      body: { run: 1 },
      mode: 'x402',
      replayed: false,
      headers: {},
    });
    expect(till.till.store.findByNonce(proof.nonce)).toMatchObject({
      state: 'settled',
      mode: 'x402',
      amount: PRICE,
      signature: proof.proof,
    });
    expect(till.till.journal.audit()).toEqual([]);
  });

  it('offers each payable row of the card, the tier of the call first', async () => {
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

describe('an agent whose wallet also pays', () => {
  it('accepts a payment from its wallet to itself, so that the operator can call it', async () => {
    const till = await aTill();
    await till.network.fund(till.wallet.address, 1_000_000n);
    const { nonce } = await till.refused();
    const signed = await till.chain.sign(till.wallet, till.wallet.address, BigInt(PRICE), nonce);
    await till.chain.send(signed);
    expect((await till.call({ proof: signed.signature, nonce })).mode).toBe('x402');
    expect(till.till.journal.audit()).toEqual([]);
  });
});

describe('watchers', () => {
  it('get an event for each state of a payment, and at most one balance event per second', async () => {
    const till = await aTill();
    const heard: string[] = [];
    till.bus.watch((event) => {
      if (event.type === 'payment.changed') heard.push(`${event.side} ${event.state} ${event.agent}`);
      if (event.type === 'payment.balance') heard.push(`balance ${event.agent}`);
    });
    const offered = await till.payFor(await till.refused());
    await till.call(offered);
    expect(heard.splice(0)).toEqual([
      'earned challenged painter',
      'earned paid painter',
      'earned settled painter',
      'balance painter',
    ]);
    await till.call(offered);
    expect(heard).toEqual([]);
    const apiKey = await till.deposited(10 * PRICE);
    for (let i = 0; i < 10; i += 1) await till.call({ apiKey });
    expect(heard.filter((word) => word.startsWith('balance'))).toEqual([]);
    till.clock.advance(1000);
    expect(heard.filter((word) => word.startsWith('balance'))).toEqual(['balance painter']);
    expect(heard.filter((word) => word === 'earned settled painter')).toHaveLength(11);
  });

  it('get no secret', async () => {
    const till = await aTill();
    const heard: unknown[] = [];
    till.bus.watch((event) => void heard.push(event));
    const apiKey = await till.deposited(PRICE);
    await till.call({ apiKey });
    const { body } = await till.call(await till.payFor(await till.refused()), {}, async () => ({
      status: 500,
      body: {},
    }));
    const { api_key } = (body as { refund: { api_key: string } }).refund;
    expect(heard.length).toBeGreaterThan(5);
    for (const secret of [apiKey, api_key]) expect(JSON.stringify(heard)).not.toContain(secret);
  });
});
