import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LOCAL_NETWORK } from '../../contract/payments.js';
import { type APayer, aPayer, aSeller, PRICE } from '../../testing/apps/a-market.js';

/** A payer and an agent that takes proofs alone, and that fails while `fail(true)`. */
async function aMarket() {
  const payer = await aPayer();
  let isBroken = false;
  const { agent } = await aSeller(payer, {
    payment: { modes: ['x402'] },
    run: () => {
      if (isBroken) throw new Error('out of paint');
      return { painted: true };
    },
  });
  return {
    payer,
    agent,
    fail: (isFailing: boolean) => {
      isBroken = isFailing;
    },
    call: () => payer.pay({ agent: agent.url }),
  };
}

const spentSums = async (payer: APayer) => (await payer.ledger()).sums.filter(({ side }) => side === 'spent');

describe('a refund of an agent that takes no deposits', () => {
  it('is the same figures on both sides, as a balance and once it is used', async () => {
    const { payer, agent, fail, call } = await aMarket();
    const expectFigures = async (paid: number, balance: number) => {
      const net = paid - balance;
      expect(await spentSums(payer)).toEqual([
        {
          side: 'spent',
          network: LOCAL_NETWORK,
          real: false,
          paid_lamports: paid,
          refunded_lamports: PRICE,
          balance_lamports: balance,
          owed_lamports: 0,
          net_lamports: net,
        },
      ]);
      expect(agent.books().tills).toMatchObject([
        { earned_lamports: net, balances_lamports: balance, owed_lamports: 0 },
      ]);
      expect(await payer.getLamports(agent.wallet)).toBe(paid);
    };
    fail(true);
    expect(await call()).toMatchObject({ state: 'failed', error: { code: 'agent_failed' } });
    await expectFigures(PRICE, PRICE);
    fail(false);
    expect(await call()).toMatchObject({ state: 'done', mode: 'deposit' });
    await expectFigures(PRICE, 0);
    expect(await call()).toMatchObject({ state: 'done', mode: 'x402' });
    await expectFigures(2 * PRICE, 0);
  });

  it('that was used elsewhere is not topped up: the next call is paid with a proof', async () => {
    const { payer, fail, call } = await aMarket();
    fail(true);
    await call();
    const file = join(payer.app.root, '.mesh/credentials/deposits.json');
    const before = readFileSync(file, 'utf8');
    fail(false);
    expect(await call()).toMatchObject({ mode: 'deposit' });
    writeFileSync(file, before);
    expect(await call()).toMatchObject({ state: 'done', mode: 'x402' });
    expect(await spentSums(payer)).toMatchObject([{ paid_lamports: 2 * PRICE, balance_lamports: 0 }]);
  });
});
