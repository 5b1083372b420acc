import { describe, expect, it } from 'vitest';
import { toPricingText } from '../payments/pricing-values.js';
import { toCallingText } from './card/calling-values.js';
import {
  applyChanges,
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
  ...toCallingText({}),
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
    expect(applyChanges(base, mine, current)).toEqual({ ...current, effort: 'max' });
    expect(changedKeys(current, applyChanges(base, mine, current))).toEqual(['effort']);
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

  it('sends availability, contact and limits as the file holds them, key by key, and clears emptied ones', () => {
    const file = {
      availability: { now: false, window_hours: 'Mon-Fri', sla: 'a minute' },
      contact: { email: 'ops@example.org', 'a:b': 'https://example.org/x: y' },
      rate_limits: { per_ip_per_minute: 5, per_day: 100 },
    };
    const said = { ...base, ...toCallingText(file) };
    expect(createPatch(base, said)).toEqual(file);
    expect(createPatch(said, base)).toEqual({ availability: null, contact: null, rate_limits: null });
    expect(createPatch(said, { ...said, sla: '', per_day: '200' })).toEqual({
      availability: { now: false, window_hours: 'Mon-Fri' },
      rate_limits: { per_ip_per_minute: 5, per_day: 200 },
    });
    expect(problemsIn(said)).toEqual({});
  });

  it('reports a contact line, a limit and words that the daemon would refuse, at their fields', () => {
    const problems = problemsIn({
      ...base,
      contact: 'email: ops@example.org\nhttps://example.org',
      per_ip_per_hour: '0',
      per_day: 'many',
      sla: 'x'.repeat(201),
    });
    expect(Object.keys(problems).sort()).toEqual(['contact', 'per_day', 'per_ip_per_hour', 'sla']);
    expect(problems['contact']).toMatch(/^Line 2 /);
    expect(problemsIn({ ...base, contact: 'email: a\nemail: b' })['contact']).toMatch(/another for email/);
    // A value of several lines in the file is one line here, and no problem while it is not edited.
    expect(problemsIn({ ...base, ...toCallingText({ contact: { email: 'a\nb' } }) })).toEqual({});
  });

  it('maps the daemon’s paths to fields', () => {
    expect(fieldOfPath('pricing.0.amount')).toBe('pricing.0.amount');
    expect(fieldOfPath('payment.wallet')).toBe('payment.wallet');
    expect(fieldOfPath('contact.email')).toBe('contact');
    expect(fieldOfPath('availability.sla')).toBe('sla');
    expect(fieldOfPath('rate_limits.per_day')).toBe('per_day');
    expect(fieldOfPath('limits.turns')).toBe('turns');
    expect(fieldOfPath('examples.2')).toBe('examples');
    expect(fieldOfPath('')).toBeUndefined();
  });
});
