import { describe, expect, it } from 'vitest';
import type { PricingRow } from '../../contract/team.js';
import { encodeBase58 } from '../crypto/base58.js';
import {
  findPaymentMistake,
  findPricingMistake,
  findUnchargeable,
  isChargeable,
  isPaidRow,
  listLeftOutRows,
  priceRows,
  toJson,
  toTier1Pricing,
  withNetworks,
} from './pricing-rules.js';

const WALLET = encodeBase58(Buffer.alloc(32, 7));
const row = (more: Partial<PricingRow> = {}): PricingRow => ({
  unit: 'request',
  amount: 5000,
  currency: 'lamports',
  network: 'solana:local',
  ...more,
});

describe('a pricing row', () => {
  it.each<[PricingRow | PricingRow[]]>([
    [row()],
    [row({ network: undefined })],
    [{ unit: 'request', amount: 0, currency: 'free' }],
    [{ unit: 'poster', amount: 2.5, currency: 'USD' }],
    [[row(), row({ network: 'solana:devnet' }), row({ tier: 'mini', amount: 1 })]],
  ])('accepts %j', (pricing) => {
    expect(findPricingMistake(pricing)).toBeUndefined();
  });

  it.each<[PricingRow | PricingRow[], string, string]>([
    [row({ amount: 0.5 }), 'pricing.amount', 'whole number'],
    [row({ amount: 2 ** 53 }), 'pricing.amount', 'whole number'],
    [row({ network: 'solana:moon' }), 'pricing.network', 'solana:local'],
    [row({ currency: 'DOGE' }), 'pricing.currency', 'free, lamports, USD'],
    [{ unit: 'request', amount: 1, currency: 'free' }, 'pricing.amount', 'must be 0'],
    [[row(), row({ amount: 1 })], 'pricing.1.network', 'stands twice'],
    [[row({ tier: 'a' }), row({ tier: 'a' })], 'pricing.1.tier', 'stands twice: one row for each network and tier'],
    [[row({ network: undefined }), row({ network: undefined })], 'pricing.1.network', 'stands twice'],
    [[row({ amount: 0.5 })], 'pricing.0.amount', 'must be a whole number of lamports'],
  ])('rejects %j and names the field', (pricing, path, message) => {
    const found = findPricingMistake(pricing);
    expect([found?.path.join('.'), found?.reason]).toEqual([path, expect.stringContaining(message)]);
    expect(found?.reason).toContain(path);
  });

  it.each<[PricingRow | PricingRow[] | undefined]>([
    [undefined],
    [[]],
    [{ unit: 'request', amount: 1, currency: 'USD', network: 'card' }],
    [[row({ tier: 'a' }), row({ tier: 'b' })]],
    [[row({ network: undefined, tier: 'a' }), row({ tier: 'a' })]],
  ])('accepts %j too', (pricing) => {
    expect(findPricingMistake(pricing)).toBeUndefined();
  });

  it('that is wrong is named by the path of its price', () => {
    expect(findPricingMistake(row({ amount: 0.5 }), ['skills', '0', 'pricing'])).toEqual({
      path: ['skills', '0', 'pricing', 'amount'],
      reason: '`skills.0.pricing.amount` must be a whole number of lamports.',
    });
  });

  it('is paid when it is an amount of lamports above 0', () => {
    const usd = { unit: 'request', amount: 1, currency: 'USD' };
    expect([row(), row({ amount: 1 }), row({ amount: 0 }), usd].map(isPaidRow)).toEqual([true, true, false, false]);
  });

  it('is in the discovery card as the first one, without network and tier', () => {
    const shown = { unit: 'request', amount: 5000, currency: 'lamports' };
    expect(toTier1Pricing(row({ tier: 'mini' }))).toEqual(shown);
    expect(toTier1Pricing([row(), row({ amount: 1 })])).toEqual(shown);
    expect([toTier1Pricing(undefined), toTier1Pricing([])]).toEqual([undefined, undefined]);
  });

  it('is one of a list of rows', () => {
    expect([priceRows(undefined), priceRows(row()), priceRows([row()])]).toEqual([[], [row()], [row()]]);
  });
});

describe('a payment declaration', () => {
  it.each([
    { modes: ['x402'] },
    {
      modes: ['x402', 'deposit'],
      network: 'solana:local',
      wallet: WALLET,
      deposit: { min_lamports: 1000, credit_unit: 'lamports' },
    },
    {
      modes: ['deposit'],
      postpay_min_reputation: null,
      free_tier: { calls_per_day: 3, by: 'pubkey+ip' },
      note: 'kept and ignored',
    },
  ])('accepts %j', (payment) => {
    expect(findPaymentMistake(payment, [row()])).toBeUndefined();
  });

  it.each<[Record<string, unknown>, string, string]>([
    [{}, 'payment.modes', 'is required'],
    [{ modes: ['barter'] }, 'payment.modes.0', 'must be one of x402, deposit'],
    [{ modes: [] }, 'payment.modes', 'must name x402'],
    [{ modes: ['x402', 'x402'] }, 'payment.modes', 'twice'],
    [{ modes: ['x402'], network: 'solana:moon' }, 'payment.network', 'must be one of'],
    [{ modes: ['x402'], network: 'solana:devnet' }, 'payment.network', 'no price is asked on'],
    [{ modes: ['x402'], wallet: 'abc' }, 'payment.wallet', '32 bytes'],
    [{ modes: ['x402'], wallet: `${WALLET}1` }, 'payment.wallet', '32 bytes'],
    [{ modes: ['x402'], wallet: 7 }, 'payment.wallet', 'string'],
    [{ modes: ['x402'], deposit: { min_lamports: 1, credit_unit: 'x' } }, 'payment.modes', 'must name deposit'],
    [
      { modes: ['deposit'], deposit: { min_lamports: 1.5, credit_unit: 'x' } },
      'payment.deposit.min_lamports',
      'integer',
    ],
    [{ modes: ['deposit'], deposit: { min_lamports: 1 } }, 'payment.deposit.credit_unit', 'is required'],
    [{ modes: ['x402'], postpay_min_reputation: 2 }, 'payment.postpay_min_reputation', '1'],
    [{ modes: ['x402'], free_tier: { calls_per_day: 1, by: 'name' } }, 'payment.free_tier.by', 'must be one of'],
  ])('rejects %j and names the field', (payment, path, message) => {
    const found = findPaymentMistake(payment, [row()]);
    expect([found?.path.join('.'), found?.reason]).toEqual([path, expect.stringContaining(message)]);
    expect(found?.reason).toContain(`\`${path}\``);
  });

  it('is optional, may name no mode where nothing is paid, and a network that a price is asked on', () => {
    expect(findPaymentMistake(undefined, [row()])).toBeUndefined();
    const free = { unit: 'request', amount: 0, currency: 'free' };
    expect(findPaymentMistake({ modes: [] }, [free])).toBeUndefined();
    const devnet = { modes: ['x402'], network: 'solana:devnet' };
    expect(findPaymentMistake(devnet, [free])).toBeUndefined();
    expect(findPaymentMistake(devnet, [row({ network: undefined })])).toBeUndefined();
    expect(findPaymentMistake(devnet, [row(), row({ network: 'solana:devnet' })])).toBeUndefined();
  });

  it('that is wrong is told what is expected, by the path of the declaration', () => {
    expect(findPaymentMistake({ modes: ['x402'], network: 'solana:devnet' }, [row()], ['agent', 'payment'])).toEqual({
      path: ['agent', 'payment', 'network'],
      reason:
        '`agent.payment.network` is solana:devnet, which no price is asked on: add a row for it, or name one of ' +
        'solana:local.',
    });
    const rows = [row(), row({ network: 'solana:devnet' })];
    expect(findPaymentMistake({ modes: ['x402'], network: 'solana:mainnet' }, rows)?.reason).toMatch(
      /or name one of solana:local, solana:devnet\.$/,
    );
    const reasonOf = (payment: Record<string, unknown>) => findPaymentMistake(payment, [row()])?.reason;
    expect(reasonOf({ modes: [] })).toBe(
      '`payment.modes` must name x402, deposit or both where a price is in lamports.',
    );
    expect(reasonOf({ modes: ['x402', 'x402'] })).toBe('`payment.modes` names a mode twice.');
    expect(reasonOf({ modes: ['x402'], wallet: 'abc' })).toBe(
      '`payment.wallet` must be the base58 address of a wallet: 32 bytes.',
    );
    expect(reasonOf({ modes: ['x402'], network: 'solana:moon' })).toBe(
      '`payment.network` must be one of solana:local, solana:devnet, solana:mainnet.',
    );
    expect(reasonOf({ modes: ['x402'], deposit: { min_lamports: 1, credit_unit: 'x' } })).toBe(
      '`payment.modes` must name deposit where `deposit` says how.',
    );
    expect(reasonOf({})).toBe('`payment.modes` is required.');
  });

  it('fills in the network of a row that names none', () => {
    const bare = row({ network: undefined });
    expect(withNetworks([bare], undefined)[0]?.network).toBe('solana:local');
    expect(withNetworks([bare], { network: 'solana:devnet' })[0]?.network).toBe('solana:devnet');
  });

  it('leaves every other row as it is', () => {
    const rows = [row({ network: 'solana:mainnet' }), row({ network: undefined, amount: 0 })];
    expect(withNetworks(rows, { network: 'solana:devnet' })).toEqual(rows);
    expect(withNetworks([row({ network: undefined })], {})[0]?.network).toBe('solana:local');
  });
});

describe('a price where not every network is configured', () => {
  const LOCAL = ['solana:local'];
  const usd = { unit: 'request', amount: 1, currency: 'USD' };
  const devnet = row({ network: 'solana:devnet' });

  it('can be charged when it is free, or in lamports on a network that is', () => {
    const free = { unit: 'request', amount: 0, currency: 'free' };
    const rows = [row(), free, row({ amount: 0, network: 'solana:devnet' }), { ...usd, amount: 0 }, usd, devnet];
    expect(rows.map((one) => isChargeable(one, undefined, LOCAL))).toEqual([true, true, true, true, false, false]);
    expect(isChargeable({ ...free, amount: 3 }, undefined, [])).toBe(true);
    const bare = row({ network: undefined });
    expect(isChargeable(bare, undefined, LOCAL)).toBe(true);
    expect(isChargeable(bare, { network: 7 }, LOCAL)).toBe(true);
    expect(isChargeable(bare, { network: 'solana:devnet' }, LOCAL)).toBe(false);
    expect(isChargeable(row(), { network: 'solana:devnet' }, LOCAL)).toBe(true);
  });

  it('is named when none of its rows of one tier can be charged', () => {
    expect(findUnchargeable(undefined, undefined, LOCAL)).toBeUndefined();
    expect(findUnchargeable([devnet, row()], undefined, LOCAL)).toBeUndefined();
    expect(findUnchargeable(devnet, undefined, LOCAL)).toEqual({
      path: ['pricing', 'network'],
      reason:
        '`pricing.network` cannot be charged: solana:devnet is not configured on this machine ' +
        '(MESHD_SOLANA_DEVNET_URL).',
    });
    expect(findUnchargeable([row(), { ...usd, tier: 'a' }], undefined, LOCAL, ['skills', '0', 'pricing'])).toEqual({
      path: ['skills', '0', 'pricing', '1', 'currency'],
      reason: '`skills.0.pricing.1.currency` cannot be charged: USD has no rate here; name a price in lamports.',
    });
    expect(findUnchargeable([row(), { ...devnet, tier: 'a' }], undefined, LOCAL)?.path).toEqual([
      'pricing',
      '1',
      'network',
    ]);
  });

  it('is without the rows in lamports whose network is not', () => {
    const mainnet = row({ network: undefined });
    expect(listLeftOutRows([row(), devnet, usd, mainnet], { network: 'solana:mainnet' }, LOCAL)).toEqual([
      {
        path: ['pricing', '1', 'network'],
        reason: expect.stringContaining('is left out of the card: solana:devnet is not configured on this machine'),
      },
      { path: ['pricing', '3', 'network'], reason: expect.stringContaining('(MESHD_SOLANA_MAINNET_URL)') },
    ]);
    expect(listLeftOutRows(devnet, undefined, LOCAL, ['price']).map(({ path }) => path)).toEqual([
      ['price', 'network'],
    ]);
    expect(listLeftOutRows(undefined, undefined, LOCAL)).toEqual([]);
  });
});

it('a declaration is read as JSON carries it', () => {
  expect(toJson({ a: Number.NaN, b: undefined, c: 1 })).toEqual({ a: null, c: 1 });
  expect(toJson(undefined)).toBeUndefined();
});
