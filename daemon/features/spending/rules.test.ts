import { describe, expect, it } from 'vitest';
import type { Challenge } from '../../contract/payments.js';
import { aPrice } from '../../testing/price-row.js';
import { CallError } from './call-failure.js';
import { findExceededCap, toStartOfDay } from './caps.js';
import { parseReason, parseTerms } from './challenge.js';
import { cardIn, findOffer, highestPrice } from './skill-offer.js';

const WALLET = 'So11111111111111111111111111111111111111112';
const NOW = 1_800_000_000;
const card = (more: object = {}) =>
  cardIn({
    name: 'Painter',
    url: 'https://painter.example',
    version: '1',
    description: 'Paints.',
    defaultInputModes: ['application/json'],
    defaultOutputModes: ['application/json'],
    protocols: ['http'],
    pricing: aPrice(5000),
    payment: { modes: ['x402'], wallet: WALLET },
    availability: { now: true },
    skills: [{ id: 'paint', name: 'Paint', description: 'Paints.' }],
    ...more,
  });
const offer = (more: object = {}, tier?: string) => findOffer(card(more), 'https://painter.example', 'paint', tier);
const accept = (more: object = {}) => ({
  scheme: 'exact',
  network: 'solana:local',
  address: WALLET,
  amount: 5000,
  currency: 'lamports',
  nonce: 'nonce-0123456789',
  expiresAt: NOW + 600,
  ...more,
});
const challenge = (...accepts: object[]): Challenge =>
  ({
    error: 'payment_required',
    message: 'Pay.',
    x402Version: 1,
    accepts,
    chainPayUrl: 'solana:x',
    nonce: 'n',
  }) as unknown as Challenge;

function getCode(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof CallError) return error.code;
    throw error;
  }
  return 'taken';
}

describe('the offer of a skill in a card', () => {
  it('has the URL to call and the price', () => {
    expect(offer()).toMatchObject({
      url: 'https://painter.example/v1/paint',
      prices: [{ amount: 5000, network: 'solana:local', tier: null }],
      mayOwe: false,
    });
  });

  it('prefers the prices of the skill itself', () => {
    const skills = [{ id: 'paint', name: 'Paint', description: '', pricing: [aPrice(7000)] }];
    expect(highestPrice(offer({ skills }))).toBe(7000);
  });

  it('has the price of the requested tier, and of the first tier by default', () => {
    const pricing = [aPrice(1000, { tier: 'mini' }), aPrice(3000, { tier: 'max' })];
    expect([undefined, 'mini', 'max'].map((tier) => highestPrice(offer({ pricing }, tier)))).toEqual([
      1000, 1000, 3000,
    ]);
    expect(getCode(() => offer({ pricing }, 'huge'))).toBe('skill_not_found');
    expect(highestPrice(offer({ pricing: aPrice(5000) }, 'huge'))).toBe(5000);
  });

  it.each([
    ['USD', { amount: 5, currency: 'USD' }],
    ['a fraction of a lamport', { amount: 0.5 }],
    ['more than a number holds', { amount: 2 ** 60 }],
  ])('is refused with a price in %s', (_, more) => {
    expect(getCode(() => offer({ pricing: { ...aPrice(5000), ...more } }))).toBe('bad_card');
  });

  it('is free when the card says so, and permits post-pay only with a minimum reputation', () => {
    expect(offer({ pricing: { unit: 'request', amount: 0, currency: 'free' } }).prices).toEqual([]);
    const payment = { modes: ['x402'], wallet: WALLET };
    expect(
      [null, undefined, 0, 0.5].map(
        (postpay_min_reputation) => offer({ payment: { ...payment, postpay_min_reputation } }).mayOwe,
      ),
    ).toEqual([false, false, true, true]);
  });

  it('is refused when the card is invalid or the skill is missing', () => {
    expect(getCode(() => cardIn({ name: 'x' }))).toBe('bad_card');
    expect(getCode(() => offer({ payment: { modes: 'x402' } }))).toBe('bad_card');
    expect(getCode(() => findOffer(card(), 'https://painter.example', 'sing', undefined))).toBe('skill_not_found');
  });
});

describe('a challenge checked against the card', () => {
  const terms = (body: unknown, of = offer(), networks = ['solana:local', 'solana:devnet']) =>
    parseTerms(body, of, networks, NOW);

  it('is accepted at the price of the card or below', () => {
    expect(terms(challenge(accept()))).toMatchObject({ amount: 5000, address: WALLET, nonce: 'nonce-0123456789' });
    expect(terms(challenge(accept({ amount: 1 }))).amount).toBe(1);
  });

  it.each<[string, object, string]>([
    ['a price above the card', { amount: 5001 }, 'price_above_card'],
    ['another wallet', { address: 'Memo111111111111111111111111111111111111111' }, 'wrong_wallet'],
    ['a network that is not the card’s', { network: 'solana:devnet' }, 'unknown_network'],
    ['a network that nobody knows', { network: 'tron:main' }, 'unknown_network'],
    ['a tier that the card does not price', { tier: 'gold' }, 'unknown_network'],
    ['a challenge that has run out', { expiresAt: NOW }, 'challenge_expired'],
    ['a nonce that is no memo', { nonce: 'with spaces and more' }, 'bad_challenge'],
    ['a payment of nothing', { amount: 0 }, 'bad_challenge'],
    ['a negative amount', { amount: -5 }, 'bad_challenge'],
    ['a fraction', { amount: 0.5 }, 'bad_challenge'],
    ['another currency', { currency: 'USD' }, 'bad_challenge'],
  ])('is refused for %s', (_, more, code) => {
    expect(getCode(() => terms(challenge(accept(more))))).toBe(code);
  });

  it('is refused when the card names no wallet, when it is malformed, or when its network is not configured', () => {
    expect(getCode(() => terms(challenge(accept()), offer({ payment: { modes: ['x402'] } })))).toBe('wrong_wallet');
    expect(getCode(() => terms(challenge()))).toBe('unknown_network');
    expect(getCode(() => terms({ pay: 'me' }))).toBe('bad_challenge');
    expect(getCode(() => terms(undefined))).toBe('bad_challenge');
    expect(getCode(() => terms(challenge(accept()), offer(), ['solana:devnet']))).toBe('unknown_network');
  });

  it('is paid on the network without real money if there are several, at the price of that network', () => {
    const two = offer({ pricing: [aPrice(5000), aPrice(9000, { network: 'solana:mainnet' })] });
    const both = challenge(accept({ network: 'solana:mainnet', amount: 9000 }), accept());
    expect(terms(both, two, ['solana:local', 'solana:mainnet'])).toMatchObject({
      network: 'solana:local',
      amount: 5000,
    });
    expect(getCode(() => terms(challenge(accept({ amount: 9000 })), two, ['solana:local', 'solana:mainnet']))).toBe(
      'price_above_card',
    );
  });

  it('returns a reason that is safe to show', () => {
    expect(parseReason({ reason: 'not_yet_visible' })).toBe('not_yet_visible');
    expect(parseReason({ error: 'nonce_spent' })).toBe('nonce_spent');
    expect([parseReason(undefined), parseReason({ reason: 'a\u001b[2J' })]).toEqual(['unknown', 'unknown']);
  });
});

describe('the caps', () => {
  const caps = { per_call_lamports: 100, per_day_lamports: 250 };
  it.each([
    [0, 250, false],
    [100, 0, false],
    [101, 0, true],
    [100, 150, false],
    [100, 151, true],
  ])('for %i lamports with %i spent require an approval: %s', (amount, counted, asks) => {
    expect(findExceededCap(amount, caps, counted) !== undefined).toBe(asks);
  });

  it('of 0 always require approval', () => {
    expect(findExceededCap(1, { per_call_lamports: 0, per_day_lamports: 0 }, 0)).toContain('cap of 0');
  });

  it('count by UTC days', () => {
    expect(toStartOfDay(Date.UTC(2026, 10, 21, 23, 59))).toBe(Date.UTC(2026, 10, 21));
    expect(toStartOfDay(Date.UTC(2026, 10, 22))).toBe(Date.UTC(2026, 10, 22));
  });
});
