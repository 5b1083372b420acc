import { describe, expect, it } from 'vitest';
import { readChallenge, readDeclaration, readTopup } from './agent-answers.js';
import { parseTerms } from './challenge.js';
import { cardIn, findOffer } from './skill-offer.js';

const WALLET = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T';
const KEY = `tk_${'k'.repeat(43)}`;

/** A card, a challenge and a top-up with the fields of the specification and no other. */
const CARD = {
  ...{ name: 'painter', url: 'https://painter.example', version: '1', description: 'Paints.' },
  ...{ defaultInputModes: ['application/json'], defaultOutputModes: ['application/json'], protocols: ['x402'] },
  pricing: [
    { unit: 'call', amount: 1, currency: 'USD' },
    { unit: 'call', amount: 5000, currency: 'lamports', network: 'solana:devnet' },
  ],
  payment: {
    modes: ['x402', 'deposit', 'invoice'],
    network: 'solana:devnet',
    wallet: WALLET,
    free_tier: { calls_per_day: 3, by: 'per-public-key' },
  },
  availability: { now: true },
  skills: [{ id: 'paint', name: 'Paint', description: 'Paints.' }],
};
const row = (more: object = {}) => ({
  ...{ scheme: 'exact', network: 'solana:devnet', address: WALLET, amount: 5000, currency: 'lamports' },
  ...{ nonce: 'n_12345678', expiresAt: 1_900_000_000 },
  ...more,
});
const CHALLENGE = { x402Version: 1, accepts: [row()], chainPayUrl: `solana:${WALLET}`, nonce: 'n_12345678' };

describe('an agent that answers as the specification says and no more', () => {
  const offer = findOffer(cardIn(CARD), CARD.url, 'paint', undefined);
  const terms = (body: unknown) => parseTerms(body, offer, ['solana:devnet'], 1_800_000_000);

  it('is paid what its challenge asks for, whatever else it would take', () => {
    const expected = {
      ...{ network: 'solana:devnet', address: WALLET, amount: 5000, nonce: 'n_12345678', expiresAt: 1_900_000_000 },
    };
    expect(terms(CHALLENGE)).toEqual(expected);
    const dollars = row({ currency: 'USD', amount: 1 });
    expect(terms({ ...CHALLENGE, accepts: [dollars, null, row({ amount: '5000' }), row()] })).toEqual(expected);
  });

  it('is not paid when nothing that it asks for is in lamports', () => {
    expect(() => terms({ ...CHALLENGE, accepts: [row({ currency: 'USD' })] })).toThrow(
      'Nothing that its challenge asks for is a whole number of lamports.',
    );
    expect(readChallenge({ ...CHALLENGE, accepts: undefined })).toBeUndefined();
    expect(readChallenge({ ...CHALLENGE, x402Version: '1' })).toBeUndefined();
  });

  it('has a card whose other prices and free tier hinder no payment', () => {
    expect(offer.prices).toEqual([{ amount: 5000, network: 'solana:devnet', tier: null }]);
    expect(readDeclaration(CARD.payment)).toEqual({
      ...{ modes: ['x402', 'deposit'], network: 'solana:devnet', wallet: WALLET },
    });
    expect([readDeclaration({ modes: 'x402' }), readDeclaration({}), readDeclaration(null)]).toEqual([
      ...[undefined, undefined, undefined],
    ]);
  });
});

describe('the answer to a top-up', () => {
  const url = `solana:${WALLET}?amount=0.000005&memo=${KEY}`;

  it.each([
    ['the key and its URL', { api_key: KEY, chainPayUrl: url }, { memo: KEY, address: WALLET, network: null }],
    ['another memo in the URL', { api_key: KEY, chainPayUrl: url.replace(KEY, 'tk_x') }, { memo: 'tk_x' }],
    ['fields of its own', { api_key: KEY, chainPayUrl: url, memo: 'm', address: 'a', network: 'n' }, { memo: 'm' }],
    ['no URL', { api_key: KEY, chainPayUrl: null, address: 'a' }, { memo: KEY, address: 'a' }],
  ])('may have %s', (_, body, read) => {
    expect(readTopup(body)).toMatchObject({ key: KEY, ...read });
  });

  it.each([
    [undefined],
    [{ chainPayUrl: url }],
    [{ api_key: KEY }],
    [{ api_key: KEY, chainPayUrl: 'solana:' }],
    [{ api_key: null, chainPayUrl: null }],
    [[KEY]],
  ])('is none: %j', (body) => {
    expect(readTopup(body)).toBeUndefined();
  });
});
