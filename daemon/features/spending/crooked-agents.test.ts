import { describe, expect, it } from 'vitest';
import { LOCAL_NETWORK } from '../../contract/payments.js';
import { type APayer, aCrookedAgent, aPayer, PRICE, type SeenRequest } from '../../testing/apps/a-market.js';

const NONCE = 'nonce-of-this-challenge';
const key = `tk_${'k'.repeat(43)}`;
type Said = ReturnType<Parameters<typeof aCrookedAgent>[1]>;

/** An agent with a valid card. Its responses come from `answer` where that returns one. */
async function crooked(
  payer: APayer,
  answer: (request: SeenRequest, wallet: string) => Said | undefined,
  cardMore: object = {},
) {
  const wallet = ((await payer.app.call('POST', '/wallets', { name: 'crook' })).body as { address: string }).address;
  const card = {
    name: 'Crook',
    url: 'http://crook.example',
    version: '1',
    description: 'Takes what it can.',
    defaultInputModes: ['application/json'],
    defaultOutputModes: ['application/json'],
    protocols: ['http'],
    pricing: { unit: 'request', amount: PRICE, currency: 'lamports', network: LOCAL_NETWORK },
    payment: {
      modes: ['x402', 'deposit'],
      network: LOCAL_NETWORK,
      wallet,
      deposit: { min_lamports: 1, credit_unit: 'lamports' },
    },
    availability: { now: true },
    skills: [{ id: 'paint', name: 'Paint', description: 'Paints.' }],
    ...cardMore,
  };
  const agent = await aCrookedAgent(payer.ports[0] as number, (request) => {
    const said = answer(request, wallet);
    if (said !== undefined) return said;
    return request.path.endsWith('agent.json') ? { status: 200, body: card } : { status: 402, body: challenge(wallet) };
  });
  return { ...agent, wallet };
}

const challenge = (address: string, more: object = {}) => ({
  error: 'payment_required',
  message: 'Pay.',
  x402Version: 1,
  accepts: [
    {
      scheme: 'exact',
      network: LOCAL_NETWORK,
      address,
      amount: PRICE,
      currency: 'lamports',
      nonce: NONCE,
      expiresAt: Math.floor(Date.now() / 1000) + 600,
      ...more,
    },
  ],
  chainPayUrl: 'solana:x',
  nonce: NONCE,
});
const isPaid = ({ headers }: SeenRequest) => headers['x-payment-proof'] !== undefined;
const isCall = ({ path }: SeenRequest) => path.startsWith('/v1/paint');

describe('an agent whose challenge differs from its card', () => {
  it.each<[string, (wallet: string) => unknown, string]>([
    ['more', (wallet) => challenge(wallet, { amount: PRICE + 1 }), 'price_above_card'],
    ['another wallet', () => challenge('Memo111111111111111111111111111111111111111'), 'wrong_wallet'],
    ['another network', (wallet) => challenge(wallet, { network: 'solana:mainnet' }), 'unknown_network'],
    ['a payment that is over', (wallet) => challenge(wallet, { expiresAt: 1 }), 'challenge_expired'],
    ['nothing that is a challenge', () => ({ give: 'money' }), 'bad_challenge'],
  ])('is paid nothing for %s', async (_, body, code) => {
    const payer = await aPayer();
    const { url, wallet, seen } = await crooked(payer, (request, address) =>
      isCall(request) ? { status: 402, body: body(address) } : undefined,
    );
    expect(await payer.pay({ agent: url })).toMatchObject({ state: 'failed', error: { code }, signature: null });
    expect(await payer.getLamports(wallet)).toBe(0);
    expect((await payer.ledger()).spent_today_lamports).toBe(0);
    expect(seen.some(isPaid)).toBe(false);
  });

  it('is paid nothing for a deposit to another wallet, with another memo, or on another network', async () => {
    const topup = { api_key: key, chainPayUrl: 'solana:x', network: LOCAL_NETWORK, memo: key, min_lamports: 1 };
    for (const more of [
      { address: 'Memo111111111111111111111111111111111111111' },
      { memo: 'of-somebody-else' },
      { network: 'solana:devnet' },
    ]) {
      const payer = await aPayer();
      const { url, wallet } = await crooked(payer, ({ path }, address) =>
        path === '/v1/topup' ? { status: 200, body: { ...topup, address, ...more } } : undefined,
      );
      expect((await payer.pay({ agent: url, mode: 'deposit' })).state).toBe('failed');
      expect(await payer.getLamports(wallet)).toBe(0);
      expect((await payer.ledger()).spent_today_lamports).toBe(0);
    }
  });

  it('is not paid again for a challenge that it repeats', async () => {
    const payer = await aPayer();
    const { url, wallet } = await crooked(payer, (request) =>
      isPaid(request) ? { status: 200, body: { painted: true } } : undefined,
    );
    expect(await payer.pay({ agent: url })).toMatchObject({ state: 'done' });
    expect(await payer.pay({ agent: url })).toMatchObject({ state: 'failed', error: { code: 'challenge_replayed' } });
    expect(await payer.getLamports(wallet)).toBe(PRICE);
  });

  it('is not paid again for the same call when it rejects the proof', async () => {
    const payer = await aPayer();
    const { url, wallet, seen } = await crooked(payer, (request, address) =>
      isPaid(request)
        ? { status: 402, body: { ...challenge(address, { nonce: 'another-nonce-now' }), reason: 'unknown_nonce' } }
        : undefined,
    );
    const call = await payer.pay({ agent: url });
    expect(call).toMatchObject({ state: 'failed', error: { code: 'payment_refused' }, signature: expect.any(String) });
    expect(await payer.getLamports(wallet)).toBe(PRICE);
    expect(seen.filter(isPaid)).toHaveLength(1);
    expect((await payer.ledger()).entries).toMatchObject([
      { state: 'failed', reason: 'payment_refused', signature: call.signature },
    ]);
    expect((await payer.ledger()).spent_today_lamports).toBe(PRICE);
  });
});

describe('an agent that responds incorrectly', () => {
  it('gets the same proof again until it accepts it: after a hang-up, an error, and not_yet_visible', async () => {
    const payer = await aPayer();
    const said: Said[] = [
      'hang up',
      { status: 503, body: { error: 'overloaded', message: 'Busy.' } },
      { status: 402, body: { ...challenge('x'), reason: 'not_yet_visible' } },
    ];
    const { url, wallet, seen } = await crooked(payer, (request) =>
      isPaid(request) ? (said.shift() ?? { status: 200, body: { painted: true } }) : undefined,
    );
    expect(await payer.pay({ agent: url })).toMatchObject({ state: 'done', result: { painted: true } });
    const proofs = seen.filter(isPaid).map(({ headers }) => headers['x-payment-proof']);
    expect(proofs).toHaveLength(4);
    expect(new Set(proofs).size).toBe(1);
    expect(await payer.getLamports(wallet)).toBe(PRICE);
  });

  it('fails the call when its response is too large, is not JSON, or is a redirect', async () => {
    const answers: [Said, string][] = [
      [{ status: 200, body: 'x'.repeat(1024 * 1024) }, 'unreachable'],
      [{ status: 200 }, 'bad_answer'],
      [{ status: 302, headers: { location: 'http://127.0.0.1:1/' } }, 'unreachable'],
      [{ status: 500, body: { error: 'internal', message: 'a\u001b[2Jb' } }, 'agent_failed'],
      [{ status: 401, body: { error: 'unauthorized', message: 'Send a token.' } }, 'refused_by_agent'],
    ];
    for (const [answer, code] of answers) {
      const payer = await aPayer();
      const { url } = await crooked(payer, (request) => (isCall(request) ? answer : undefined));
      const call = await payer.pay({ agent: url });
      expect(call.error?.code).toBe(code);
      expect(call.error?.message).not.toContain('\u001b');
      const isAskedForToken = answer !== 'hang up' && answer.status === 401;
      expect(call.error?.message.includes('Its owner gives out the token')).toBe(isAskedForToken);
    }
  });

  it('is recorded in the ledger with what it debited for a refused call', async () => {
    const payer = await aPayer();
    const { url, wallet } = await crooked(payer, ({ path }, address) => {
      if (path === '/v1/topup')
        return {
          status: 200,
          body: { api_key: key, chainPayUrl: 'solana:x', network: LOCAL_NETWORK, address, memo: key, min_lamports: 1 },
        };
      if (path === '/v1/balance') return { status: 200, body: { lamports: 2 * PRICE } };
      if (!path.startsWith('/v1/paint')) return undefined;
      const headers = { 'x-debited-lamports': String(PRICE), 'x-balance-remaining': String(PRICE) };
      return { status: 422, body: { error: 'no', message: 'Not that.' }, headers };
    });
    const call = await payer.pay({ agent: url, mode: 'deposit', topup_lamports: 2 * PRICE });
    expect(call).toMatchObject({
      state: 'failed',
      error: { code: 'refused_by_agent' },
      mode: 'deposit',
      amount_lamports: PRICE,
    });
    const { entries, deposits } = await payer.ledger();
    expect(entries).toMatchObject([
      { kind: 'call', state: 'settled', amount_lamports: PRICE },
      { kind: 'topup', state: 'settled', amount_lamports: 2 * PRICE },
    ]);
    expect(deposits).toMatchObject([{ lamports: PRICE }]);
    expect(await payer.getLamports(wallet)).toBe(2 * PRICE);
  });

  it('is recorded in the ledger as paid and not delivered', async () => {
    const payer = await aPayer();
    const { url } = await crooked(payer, (request) =>
      isPaid(request) ? { status: 410, body: { error: 'gone' } } : undefined,
    );
    expect(await payer.pay({ agent: url })).toMatchObject({ state: 'failed', error: { code: 'not_delivered' } });
    const { entries, spent_lamports } = await payer.ledger();
    expect(entries).toMatchObject([{ state: 'failed', reason: 'not_delivered' }]);
    expect(spent_lamports).toBe(PRICE);
  });

  it('is not called when its card is invalid', async () => {
    const payer = await aPayer();
    const { url, seen } = await crooked(payer, ({ path }) =>
      path.endsWith('agent.json') ? { status: 200, body: { name: 'Crook' } } : undefined,
    );
    expect((await payer.pay({ agent: url })).error?.code).toBe('bad_card');
    expect(seen.some(isCall)).toBe(false);
  });
});
