import { describe, expect, it } from 'vitest';
import type { Challenge } from '../../contract/payments.js';
import type { PricingRow } from '../../contract/team.js';
import { aPrice } from '../../testing/price-row.js';
import { selectPrices } from '../payments/price-rows.js';
import { CallError } from './call-failure.js';
import { findExceededCap, toStartOfDay } from './caps.js';
import { parseReason, parseTerms } from './terms/challenge.js';
import { cardIn, findOffer, highestPrice, toNameHere, withLocalNetwork } from './terms/skill-offer.js';

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

/** The code and the message with which `run` fails. */
function getRefusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof CallError) return `${error.code}: ${error.message}`;
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

  it('names the payment terms and the networks of its prices as the card does', () => {
    const payment = { modes: ['x402'], wallet: WALLET, network: 'solana:devnet' };
    const { network: _, ...bare } = aPrice(5000);
    expect(offer({ payment, pricing: [bare, aPrice(7000, { tier: 'max' })] })).toEqual({
      ...{ skill: 'paint', url: 'https://painter.example/v1/paint', payment, mayOwe: false },
      ...{ prices: [{ amount: 5000, network: 'solana:devnet', tier: null }], localNetwork: 'solana:local' },
    });
    expect(offer({ pricing: bare }).prices).toEqual([{ amount: 5000, network: 'solana:local', tier: null }]);
    expect(offer({ pricing: bare, payment: undefined })).toMatchObject({
      ...{ payment: undefined, mayOwe: false, prices: [{ network: 'solana:local' }] },
    });
  });

  it('has the skill in its address as one part of a path', () => {
    const skills = [{ id: 'paint/it all', name: 'Paint', description: '' }];
    const { skill, url } = findOffer(card({ skills }), 'https://painter.example//', 'paint/it all', undefined);
    expect([skill, url]).toEqual(['paint/it all', 'https://painter.example/v1/paint%2Fit%20all']);
  });

  it('has the prices of the card that are about no skill or about this one', () => {
    const pricing = [
      aPrice(1000, { skill: 'sing' }),
      aPrice(2000, { skill: 'paint', network: 'solana:devnet' }),
      aPrice(3000),
    ];
    expect(offer({ pricing }).prices.map(({ amount }) => amount)).toEqual([2000, 3000]);
    const own = [{ id: 'paint', name: 'Paint', description: '', pricing: aPrice(7000) }];
    expect(offer({ pricing, skills: own }).prices.map(({ amount }) => amount)).toEqual([7000]);
  });

  it('has none of what is no price, nor of the card when the skill has rows of its own', () => {
    const paint = { id: 'paint', name: 'Paint', description: '' };
    expect(offer({ skills: [{ ...paint, pricing: [] }] }).prices).toHaveLength(1);
    for (const pricing of [null, [null], ['free'], [{ amount: 5 }], [{ ...aPrice(5), amount: -1 }]])
      expect(offer({ skills: [{ ...paint, pricing }] }).prices).toEqual([]);
    const free = { unit: 'request', amount: 5000, currency: 'free' };
    expect(offer({ pricing: free }).prices).toEqual([]);
    expect(offer({ pricing: aPrice(0) }).prices).toEqual([]);
    expect(highestPrice(offer({ pricing: aPrice(0) }))).toBe(0);
  });

  it.each([
    ['a row without a tier that comes last', [aPrice(1000, { tier: 'fast' }), aPrice(10)], undefined, 10],
    ['a row without a tier that comes first', [aPrice(10), aPrice(1000, { tier: 'fast' })], undefined, 10],
    ['a tier that no row names', [aPrice(1000, { tier: 'fast' }), aPrice(10)], 'slow', 10],
    ['a named tier', [aPrice(10), aPrice(1000, { tier: 'fast' })], 'fast', 1000],
    ['tiers alone', [aPrice(1000, { tier: 'fast' }), aPrice(10, { tier: 'slow' })], undefined, 1000],
  ])('has the price that its agent takes: %s', (_, pricing, tier, amount) => {
    expect(highestPrice(offer({ pricing }, tier))).toBe(amount);
    const taken = selectPrices(pricing as PricingRow[], tier, {}, ['solana:local']).ofCall;
    expect(taken.map((row) => row.amount)).toEqual([amount]);
  });

  it('has the price of any tier for a tier that is none while a row has no tier', () => {
    const pricing = [aPrice(1000, { tier: 'mini' }), aPrice(2000)];
    const amounts = (tier?: string) => offer({ pricing }, tier).prices.map(({ amount }) => amount);
    expect([amounts('huge'), amounts('mini'), amounts()]).toEqual([[2000], [1000], [2000]]);
    expect(offer({ pricing: [] }, 'huge').prices).toEqual([]);
  });

  it('is on credit only when it costs something', () => {
    const payment = { modes: ['x402'], wallet: WALLET, postpay_min_reputation: 0.5 };
    expect(offer({ payment, pricing: [] }).mayOwe).toBe(false);
  });

  it('says what is wrong with a card', () => {
    const tiers = [aPrice(1, { tier: 'mini' }), aPrice(2, { tier: 'max' }), aPrice(3, { tier: 'max' })];
    const find = (skill: string, more: object = {}) =>
      getRefusal(() => findOffer(card(more), 'https://painter.example', skill, undefined));
    expect([
      getRefusal(() => cardIn({ name: 'x' })),
      find('sing', { skills: [] }),
      find('sing', { skills: ['paint', 'draw'].map((id) => ({ id, name: id, description: '' })) }),
      find('paint', { payment: { modes: 'x402' } }),
      find('paint', { pricing: aPrice(0.5) }),
      getRefusal(() => offer({ pricing: tiers }, 'h'.repeat(65))),
    ]).toEqual([
      'bad_card: The agent serves no valid full card.',
      'skill_not_found: Its card has no skill "sing".',
      'skill_not_found: Its card has no skill "sing", only paint, draw.',
      'bad_card: Its card has no valid "payment".',
      'bad_card: No price of "paint" can be paid: it must be a whole number of lamports.',
      `skill_not_found: "paint" has no tier "${'h'.repeat(64)}", only mini, max.`,
    ]);
  });

  it('of an agent elsewhere has that daemon’s local network under its name here', () => {
    const pricing = [aPrice(5000), aPrice(7000, { network: 'solana:devnet' })];
    const there = withLocalNetwork(offer({ pricing }), 'solana:local-12345678');
    expect(there).toEqual({
      ...offer({ pricing }),
      localNetwork: 'solana:local-12345678',
      prices: [
        { amount: 5000, network: 'solana:local-12345678', tier: null },
        { amount: 7000, network: 'solana:devnet', tier: null },
      ],
    });
    expect(toNameHere('solana:local', 'solana:local-1')).toBe('solana:local-1');
    expect(toNameHere('solana:mainnet', 'solana:local-1')).toBe('solana:mainnet');
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

  it('has all that is needed to pay it', () => {
    expect(terms(challenge(accept()))).toEqual({
      ...{ network: 'solana:local', address: WALLET, amount: 5000, nonce: 'nonce-0123456789', expiresAt: NOW + 600 },
    });
  });

  it.each<[string, object, string]>([
    ['five seconds before it expires', { expiresAt: NOW + 5 }, 'taken'],
    ['later', { expiresAt: NOW + 4 }, 'challenge_expired'],
    ['with a nonce of 8 characters', { nonce: '!234567~' }, 'taken'],
    ['with a nonce of 7 characters', { nonce: '1234567' }, 'bad_challenge'],
    ['with a nonce of 128 characters', { nonce: 'n'.repeat(128) }, 'taken'],
    ['with a nonce of 129 characters', { nonce: 'n'.repeat(129) }, 'bad_challenge'],
    ['with a space before the nonce', { nonce: ' 12345678' }, 'bad_challenge'],
    ['with a line after the nonce', { nonce: '12345678\n' }, 'bad_challenge'],
    ['with letters beyond ASCII in the nonce', { nonce: 'nönce-0123456789' }, 'bad_challenge'],
  ])('is taken up, or not, %s', (_, more, code) => {
    expect(getCode(() => terms(challenge(accept(more))))).toBe(code);
  });

  it('is that of the tier, and of any tier of the card where it names none', () => {
    const tiers = offer({ pricing: [aPrice(5000, { tier: 'mini' })] });
    expect(terms(challenge(accept({ tier: 'mini' })), tiers).amount).toBe(5000);
    expect(terms(challenge(accept()), tiers).amount).toBe(5000);
    expect(getCode(() => terms(challenge(accept({ tier: 'max' })), tiers))).toBe('unknown_network');
  });

  it('is that of the first row for which the card has a price', () => {
    const rows = challenge(accept({ tier: 'gold', amount: 1 }), accept({ amount: 2 }), accept({ amount: 3 }));
    expect(terms(rows).amount).toBe(2);
    const devnet = offer({ pricing: aPrice(5000, { network: 'solana:devnet' }) });
    expect(terms(challenge(accept(), accept({ network: 'solana:devnet' })), devnet).network).toBe('solana:devnet');
  });

  it('may cost as much as the highest price on its network', () => {
    const both = offer({ pricing: [aPrice(5000), aPrice(4000)] });
    expect(terms(challenge(accept()), both).amount).toBe(5000);
    expect(getCode(() => terms(challenge(accept({ amount: 5001 })), both))).toBe('price_above_card');
  });

  it('of an agent elsewhere is on its local network under its name here', () => {
    const there = withLocalNetwork(offer(), 'solana:local-12345678');
    expect(terms(challenge(accept()), there, ['solana:local-12345678']).network).toBe('solana:local-12345678');
    expect(getCode(() => terms(challenge(accept()), there, ['solana:local']))).toBe('unknown_network');
  });

  it('says why it is not paid', () => {
    const refusal = (body: unknown, of = offer()) => getRefusal(() => terms(body, of));
    const strange = challenge(accept({ network: 'tron:main' }), accept({ network: 'tron:test' }));
    expect([
      refusal({ pay: 'me' }),
      refusal(strange),
      refusal(challenge()),
      refusal(challenge(accept({ network: 'solana:devnet' }))),
      refusal(challenge(accept({ nonce: 'short' }))),
      refusal(challenge(accept({ address: 'other' }))),
      refusal(challenge(accept()), offer({ payment: undefined })),
      refusal(challenge(accept({ amount: 5001 }))),
      refusal(challenge(accept({ amount: 0 }))),
      refusal(challenge(accept({ expiresAt: NOW }))),
    ]).toEqual([
      'bad_challenge: It asks for payment with a challenge that is none.',
      'unknown_network: It wants to be paid on a network that this side does not know: tron:main, tron:test.',
      'unknown_network: It names no way to pay for this call: status 402, payment_required: Pay.',
      'unknown_network: It wants to be paid on a network that its card has no price on: solana:devnet.',
      'bad_challenge: The nonce of its challenge cannot be a memo.',
      'wrong_wallet: It wants to be paid to another address than the wallet in its card.',
      'wrong_wallet: It wants to be paid to another address than the wallet in its card.',
      'price_above_card: It asks for 5001 lamports; its card says 5000.',
      'bad_challenge: It asks for a payment of nothing.',
      'challenge_expired: Its challenge has expired before it could be paid.',
    ]);
  });

  it.each<[unknown, string]>([
    [{ reason: 'not_yet_visible' }, 'not_yet_visible'],
    [{ error: 'nonce_spent' }, 'nonce_spent'],
    [{ reason: 'wrong_wallet', error: 'payment_required' }, 'wrong_wallet'],
    [{ reason: 7, error: 'payment_required' }, 'payment_required'],
    [{ reason: 'r'.repeat(64) }, 'r'.repeat(64)],
    [{ reason: 'r'.repeat(65) }, 'unknown'],
    [{ reason: '' }, 'unknown'],
    [{ reason: 'a\u001b[2J' }, 'unknown'],
    [{ reason: 'Busy' }, 'unknown'],
    [{ reason: 'busy!' }, 'unknown'],
    [{ error: 7 }, 'unknown'],
    ['busy', 'unknown'],
    [null, 'unknown'],
    [undefined, 'unknown'],
  ])('returns of %j a reason that is safe to show', (body, reason) => {
    expect(parseReason(body)).toBe(reason);
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

  it.each([
    [2_000, 0, '2,000 lamports are over the cap of 1,000 for one payment.'],
    [...[1_000, 1_500], 'With 1,500 lamports spent or on their way today, 1,000 more are over the cap of 2,400 a day.'],
  ] as const)('say why %i lamports with %i spent need an approval', (amount, counted, why) => {
    expect(findExceededCap(amount, { per_call_lamports: 1_000, per_day_lamports: 2_400 }, counted)).toBe(why);
  });

  it('never require approval for nothing', () => {
    expect(findExceededCap(0, { per_call_lamports: 0, per_day_lamports: 0 }, 5)).toBeUndefined();
  });

  it('of 0 always require approval', () => {
    expect(findExceededCap(1, { per_call_lamports: 0, per_day_lamports: 0 }, 0)).toContain('cap of 0');
  });

  it('count by UTC days', () => {
    expect(toStartOfDay(Date.UTC(2026, 10, 21, 23, 59))).toBe(Date.UTC(2026, 10, 21));
    expect(toStartOfDay(Date.UTC(2026, 10, 22))).toBe(Date.UTC(2026, 10, 22));
  });
});
