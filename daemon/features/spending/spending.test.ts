import { describe, expect, it } from 'vitest';
import { LOCAL_NETWORK } from '../../contract/payments.js';
import { aPayer, aSeller, FEE, PRICE } from '../../testing/a-market.js';

describe('a call to an agent that costs something', () => {
  it('is paid by a transfer with the nonce as memo, and the entries of both sides name the same transaction', async () => {
    const payer = await aPayer();
    const { agent, runs } = await aSeller(payer);
    const before = await payer.lamportsOf(payer.wallet);
    const call = await payer.pay({ agent: agent.url });
    expect(call).toMatchObject({
      state: 'done',
      mode: 'x402',
      amount_lamports: PRICE,
      network: LOCAL_NETWORK,
      real: false,
      result: { painted: 1 },
    });
    expect(runs).toMatchObject([{ input: { prompt: 'a lamp' }, mode: 'x402', pubkey: expect.any(String) }]);
    expect(await payer.lamportsOf(agent.wallet)).toBe(PRICE);
    expect(await payer.lamportsOf(payer.wallet)).toBe(before - PRICE - FEE);
    const { entries, spent_lamports, spent_today_lamports } = await payer.ledger();
    expect(entries).toMatchObject([
      {
        id: call.payment_id,
        side: 'spent',
        kind: 'call',
        state: 'settled',
        mode: 'x402',
        amount_lamports: PRICE,
        signature: call.signature,
        counterparty: agent.wallet,
      },
    ]);
    expect([spent_lamports, spent_today_lamports]).toEqual([PRICE, PRICE]);
  });
});
