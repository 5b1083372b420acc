import { describe, expect, it } from 'vitest';
import { toPricingText } from '../payments/pricing-values.js';
import {
  carriedOver,
  changedKeys,
  createPatch,
  fieldOfPath,
  type MemberFormValues,
  problemsIn,
} from './member-form-values.js';

const base: MemberFormValues = {
  name: 'Consultant',
  description: 'Answers.',
  client: 'auto',
  model: 'strongest',
  effort: 'default',
  tools: ['read'],
  turns: '30',
  minutes: '10',
  examples: 'Where?\nWhy?',
  refs: '',
  pinned_order: '70',
  body: 'You answer.',
  ...toPricingText({}),
};

describe('member form', () => {
  it('sends only changed values', () => {
    expect(createPatch(base, base)).toEqual({});
    expect(createPatch(base, { ...base, effort: 'high', pinned_order: '5' })).toEqual({
      effort: 'high',
      pinned_order: 5,
    });
    expect(createPatch(base, { ...base, turns: '40' })).toEqual({ limits: { turns: 40, minutes: 10 } });
  });

  it('clears emptied values so that the defaults apply', () => {
    expect(createPatch(base, { ...base, name: ' ', tools: [], examples: '\n' })).toEqual({
      name: null,
      tools: null,
      examples: null,
    });
  });

  it('parses one ask or reference per line', () => {
    expect(createPatch(base, { ...base, refs: ' docs/a.md \n\nhttps://example.org/b' })).toEqual({
      refs: ['docs/a.md', 'https://example.org/b'],
    });
  });

  it('reports problems and how to fix them', () => {
    expect(problemsIn(base)).toEqual({});
    const problems = problemsIn({
      ...base,
      model: ' ',
      turns: '0',
      minutes: '1.5',
      examples: 'Only one',
      pinned_order: 'first',
    });
    expect(Object.keys(problems).sort()).toEqual(['examples', 'minutes', 'model', 'pinned_order', 'turns']);
  });

  it('rebases the changes onto a newer file, key by key', () => {
    const mine = { ...base, effort: 'max' as const };
    const current = { ...base, description: 'Answers with citations.', effort: 'low' as const };
    expect(carriedOver(base, mine, current)).toEqual({ ...current, effort: 'max' });
    expect(changedKeys(current, carriedOver(base, mine, current))).toEqual(['effort']);
  });

  it('sends price and payment as in the file and clears them with the last row', () => {
    const priced = {
      ...base,
      ...toPricingText({
        pricing: [{ unit: 'request', amount: 5_000, currency: 'lamports', network: 'solana:local' }],
        payment: { modes: ['x402'] },
      }),
    };
    expect(changedKeys(base, priced)).toEqual(['prices', 'payment']);
    expect(createPatch(base, priced)).toEqual({
      pricing: [{ unit: 'request', amount: 5_000, currency: 'lamports', network: 'solana:local' }],
      payment: { modes: ['x402'] },
    });
    expect(createPatch(priced, base)).toEqual({ pricing: null, payment: null });
  });

  it('maps the daemon’s paths to fields', () => {
    expect(fieldOfPath('pricing.0.amount')).toBe('pricing.0.amount');
    expect(fieldOfPath('payment.wallet')).toBe('payment.wallet');
    expect(fieldOfPath('limits.turns')).toBe('turns');
    expect(fieldOfPath('examples.2')).toBe('examples');
    expect(fieldOfPath('')).toBeUndefined();
  });
});
