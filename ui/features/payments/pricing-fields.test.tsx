// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { drawPart, removeAfterEach, stubDaemon } from '../../testing/drawn.js';
import { PricingFields } from './pricing-fields.js';
import { EMPTY_PRICE, type PriceText, type PricingText } from './pricing-values.js';

removeAfterEach();

const PAYMENT: PricingText['payment'] = {
  ...{ modes: ['x402'], network: '', wallet: '', min_lamports: '', credit_unit: '', postpay: '' },
  ...{ free_calls: '', free_by: 'pubkey', rest: {} },
};
const price = (changed: Partial<PriceText>): PriceText => ({ ...EMPTY_PRICE, amount: '5000', ...changed });

async function drawFields(prices: PriceText[]) {
  stubDaemon();
  const changes: PricingText[] = [];
  const page = await drawPart(
    <PricingFields
      member="consultant"
      values={{ prices, payment: PAYMENT }}
      problems={{}}
      onChange={(values) => changes.push(values)}
    />,
    { known: [[['wallets'], []]] },
  );
  return { page, last: () => changes.at(-1) };
}

it('removes the price whose button was pressed, and no other', async () => {
  const { page, last } = await drawFields([price({ amount: '1' }), price({ amount: '2', tier: 'fast' })]);
  await page.press('Remove price 1');
  expect(last()?.prices).toMatchObject([{ amount: '2', tier: 'fast' }]);
});

it('takes a mode in and out', async () => {
  const { page, last } = await drawFields([price({})]);
  await page.tick(/^Deposit/);
  expect(last()?.payment.modes).toEqual(['x402', 'deposit']);
  await page.tick(/^Per call/);
  expect(last()?.payment.modes).toEqual([]);
});

it.each([
  ['Tier, optional', 'fast', { tier: 'fast' }],
  ['For a', 'page', { unit: 'page' }],
  ['On', 'solana:devnet', { network: 'solana:devnet' }],
  ['In', 'free', { currency: 'free', amount: '0' }],
])('writes what is given as %s into that field alone', async (label, typed, changed) => {
  const { page, last } = await drawFields([price({})]);
  await page.type(label, typed);
  expect(last()?.prices).toEqual([{ ...price({}), ...changed }]);
});
