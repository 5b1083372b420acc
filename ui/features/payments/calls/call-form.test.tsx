// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import type { Tier2Card } from '../../../../daemon/contract/network/site.js';
import type { CallBody } from '../../../../daemon/contract/payments.js';
import { drawPart, removeAfterEach, stubDaemon } from '../../../testing/drawn.js';
import { CallForm } from './call-form.js';

removeAfterEach();

const CARD = {
  pricing: [
    { unit: 'request', amount: 5_000, currency: 'lamports' },
    { unit: 'request', amount: 9_000, currency: 'lamports', tier: 'fast' },
  ],
  payment: { modes: ['x402', 'deposit'], deposit: { min_lamports: 1_000 } },
} as unknown as Tier2Card;
const SKILL = {
  ...{ id: 'ask', name: 'Ask', examples: ['Where are the lamps?', 'Who lit them?'] },
  input_schema: {
    type: 'object',
    properties: { text: { type: 'string' }, tier: { type: 'string' } },
  },
} as unknown as Tier2Card['skills'][number];

const drawForm = async () => {
  stubDaemon();
  const made: CallBody[] = [];
  const page = await drawPart(
    <CallForm
      agentId="pier"
      card={CARD}
      skill={SKILL}
      onCall={(body) => made.push(body)}
      isBusy={false}
      error={null}
    />,
    {
      known: [
        [['wallets'], []],
        [['ledger', 'standing'], { deposits: [], caps: { per_call_lamports: 1, per_day_lamports: 1 } }],
      ],
    },
  );
  return { page, made };
};

it('starts from the example that was chosen', async () => {
  const { page } = await drawForm();
  await page.type('Start from an example', '1');
  expect(page.field(/^text/).value).toBe('Where are the lamps?');
});

it('calls for at most what was typed as the most', async () => {
  const { page, made } = await drawForm();
  await page.type('At most, lamports', '4000');
  await page.submit();
  expect(made).toMatchObject([{ max_lamports: 4_000 }]);
});

it('suggests a deposit for ten calls at the price of the chosen tier, until another is typed', async () => {
  const { page, made } = await drawForm();
  await page.type('Paid', 'deposit');
  expect(page.field('Top up, lamports').value).toBe('50000');
  await page.type(/^tier/, 'fast');
  expect(page.field('Top up, lamports').value).toBe('90000');
  await page.type('Top up, lamports', '20000');
  await page.type(/^tier/, '');
  expect(page.field('Top up, lamports').value).toBe('20000');
  await page.submit();
  expect(made).toMatchObject([{ mode: 'deposit', topup_lamports: 20_000 }]);
});

it('makes no call with a deposit below the least of the card', async () => {
  const { page, made } = await drawForm();
  await page.type('Paid', 'deposit');
  await page.type('Top up, lamports', '999');
  await page.submit();
  expect(page.words()).toContain('At least 1,000 lamports, by its card.');
  expect(made).toEqual([]);
});
