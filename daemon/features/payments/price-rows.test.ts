import { describe, expect, it } from 'vitest';
import { selectPrices } from './price-rows.js';

const NETWORKS = ['solana:local', 'solana:devnet'];
const row = (amount: number, more: object = {}) => ({ unit: 'request', amount, currency: 'lamports', ...more });
const prices = (rows: ReturnType<typeof row>[], tier?: string) =>
  selectPrices(rows, tier, { network: 'solana:devnet' }, NETWORKS);

describe('pricesOf', () => {
  it('returns every row in lamports on a configured network, with exactly its amount', () => {
    const rows = [
      row(5),
      row(7, { network: 'solana:local' }),
      row(9, { network: 'solana:mainnet' }),
      row(3, { currency: 'USD' }),
    ];
    expect(prices(rows).all).toStrictEqual([
      { network: 'solana:devnet', amount: 5 },
      { network: 'solana:local', amount: 7 },
    ]);
  });

  it('leaves out fractional, negative and unsafe amounts', () => {
    expect(prices([row(0.5), row(2 ** 53), row(-1), row(0)]).all).toEqual([]);
  });

  it('selects the tier that the call names, else the rows without a tier, else the tier of the first row', () => {
    const tiered = [row(5, { tier: 'mini' }), row(7, { tier: 'max' })];
    expect(prices(tiered, 'max').ofCall).toEqual([{ network: 'solana:devnet', amount: 7, tier: 'max' }]);
    expect(prices(tiered).ofCall).toEqual([{ network: 'solana:devnet', amount: 5, tier: 'mini' }]);
    expect(prices([...tiered, row(6)]).ofCall).toEqual([{ network: 'solana:devnet', amount: 6 }]);
    // A tier that no row names gets the price of the rows without one.
    expect(prices([...tiered, row(6)], 'extended').ofCall).toEqual([{ network: 'solana:devnet', amount: 6 }]);
  });

  it('refuses a tier that no row names when every row has one, and lists the tiers, each once', () => {
    const rows = [row(5, { tier: 'mini' }), row(7, { tier: 'max' }), row(8, { tier: 'max', network: 'solana:local' })];
    const refused = expect.objectContaining({
      code: 'bad_request',
      message: 'There is no such tier: name one of mini, max.',
      details: { path: 'tier' },
    });
    expect(() => prices(rows, 'extended')).toThrow(refused);
    expect(prices([])).toEqual({ all: [], ofCall: [], isFree: true });
  });

  it('takes the network of a row from the card, else the local one', () => {
    expect(selectPrices([row(5)], undefined, {}, NETWORKS).all).toEqual([{ network: 'solana:local', amount: 5 }]);
  });

  it('reports a call as free when its row has the currency free or the amount 0', () => {
    expect(prices([row(5, { currency: 'free' })]).isFree).toBe(true);
    expect(prices([row(0)]).isFree).toBe(true);
    expect(prices([row(1, { currency: 'USD' })])).toEqual({ all: [], ofCall: [], isFree: false });
    expect(prices([row(0), row(5)]).isFree).toBe(false);
    const tiered = [row(0, { tier: 'mini' }), row(7, { tier: 'max' })];
    expect([prices(tiered, 'mini').isFree, prices(tiered, 'max').isFree]).toEqual([true, false]);
  });
});
