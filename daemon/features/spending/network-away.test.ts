import { describe, expect, it } from 'vitest';
import type { Call } from '../../contract/payments.js';
import { testApp } from '../../testing/apps/test-app.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { aFreePort } from '../../testing/processes/free-port.js';
import type { CallRow } from './calls-store.js';
import { deliver } from './delivery.js';
import type { PayingParts } from './paying-ports.js';
import type { SpentRow } from './spent-store.js';

const NETWORK = 'solana:devnet';
const EVERY_MS = { interval: 2, timeout: 10_000 };
const PAYEE = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T';

/** Resolves with `answer` while the pauses between the attempts to reach the network pass. */
async function inTime<T>(clock: FakeClock, answer: Promise<T>, stepMs = 250): Promise<T> {
  let isOver = false;
  void answer.finally(() => {
    isOver = true;
  });
  await expect
    .poll(() => {
      clock.advance(stepMs);
      return isOver;
    }, EVERY_MS)
    .toBe(true);
  return answer;
}

describe('A payment network that gives no answer', () => {
  it('is what a payment by hand and a call that costs are refused for, and nothing is paid', async () => {
    const clock = new FakeClock();
    const env = { MESHD_SOLANA_DEVNET_URL: `http://127.0.0.1:${await aFreePort()}` };
    const { call } = await testApp({ clock, env });
    await call('POST', '/wallets', { name: 'main' });
    const transfer = { to: PAYEE, lamports: 10, network: NETWORK };
    expect(await inTime(clock, call('POST', '/wallets/main/pay', transfer))).toMatchObject({
      status: 503,
      body: { error: 'network_unavailable', message: expect.stringContaining(NETWORK) },
    });

    await call('PATCH', '/ledger/caps', { per_call_lamports: 1_000, per_day_lamports: 1_000 });
    await call('PATCH', '/team/consultant', {
      pricing: { unit: 'request', amount: 10, currency: 'lamports', network: NETWORK },
      payment: { modes: ['x402'], network: NETWORK, wallet: PAYEE },
    });
    const agent = (await call('GET', '/registrations')).body as {
      registrations: { member: string; surfaces: { hub: { agent_id: string } } }[];
    };
    const { agent_id } = agent.registrations.find(({ member }) => member === 'consultant')?.surfaces.hub ?? {};
    const asked = call('POST', '/calls', { agent: agent_id, skill: 'ask', input: { text: 'Which port?' } });
    const { body } = (await inTime(clock, asked)) as { body: Call };
    expect(body).toMatchObject({ state: 'failed', signature: null, error: { code: 'network_unavailable' } });
  });

  it('has the same proof presented for longer than other failures, and the nonce is not paid again', async () => {
    const clock = new FakeClock();
    const proofs: (string | undefined)[] = [];
    const exchange: PayingParts['exchange'] = {
      async send({ headers = {} }) {
        proofs.push(headers['x-payment-proof']);
        const isAway = proofs.length < 9;
        const json = isAway ? { error: 'network_unavailable', message: 'It cannot be reached.' } : { painted: true };
        return { status: isAway ? 503 : 200, json, header: () => undefined };
      },
    };
    const row = { signature: 'the-proof', nonce: 'the-nonce', expires_at: clock.now() / 1000 + 600 } as SpentRow;
    const parts = { clock, exchange, signer: { pubkey: '', sign: () => '' } };
    const request = { findUrl: async () => 'http://127.0.0.1:1/v1/paint', call: { input: {} } as CallRow, row };
    const delivered = await inTime(clock, deliver(parts, request, new AbortController().signal), 5_000);
    expect(delivered.answer.json).toEqual({ painted: true });
    expect(proofs).toEqual(Array(9).fill('the-proof'));
  });
});
