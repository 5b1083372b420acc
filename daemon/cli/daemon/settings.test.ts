import { describe, expect, it } from 'vitest';
import { addSetting, type Settings } from './settings.js';

const all = (...pairs: string[]) => pairs.reduce<Settings>((settings, pair) => addSetting(pair, settings), {});

describe('keys set on the command line', () => {
  it.each([
    ['name=Ada', { name: 'Ada' }],
    ['description=a=b, c', { description: 'a=b, c' }],
    ['model=007', { model: '007' }],
    ['pinned_order=-3', { pinned_order: -3 }],
    ['tools=read, search', { tools: ['read', 'search'] }],
    ['refs=["a,b.md"]', { refs: ['a,b.md'] }],
    ['examples=Is it safe, and why?', { examples: ['Is it safe, and why?'] }],
    ['limits={"turns":5}', { limits: { turns: 5 } }],
    ['limits.minutes=20', { limits: { minutes: 20 } }],
    ['rate_limits.per_day=9', { rate_limits: { per_day: 9 } }],
    ['availability.now=false', { availability: { now: false } }],
    ['availability.sla=4 seconds', { availability: { sla: '4 seconds' } }],
    ['contact.mailto=mailto:a@example.com', { contact: { mailto: 'mailto:a@example.com' } }],
    [
      'pricing={"unit":"request","amount":0,"currency":"free"}',
      { pricing: { unit: 'request', amount: 0, currency: 'free' } },
    ],
    ['color=', { color: null }],
    ['name= ', { name: ' ' }],
    ['nonsense=1', { nonsense: '1' }],
  ])('parses %s to the type of its key', (pair, expected) => {
    expect(all(pair)).toEqual(expected);
  });

  it('appends to a list and merges the fields of a structure', () => {
    expect(all('examples=One?', 'examples=Two?', 'limits.turns=4', 'limits.minutes=2')).toEqual({
      examples: ['One?', 'Two?'],
      limits: { turns: 4, minutes: 2 },
    });
  });

  it('uses the last value of a plain key', () => {
    expect(all('effort=low', 'effort=high')).toEqual({ effort: 'high' });
    expect(all('skills=["a"]', 'skills={}')).toEqual({ skills: {} });
  });

  it.each([
    'name',
    '=x',
    'pinned_order=ten',
    'required=yes',
    'limits=many',
    'limits.turns=few',
    'name.first=Ada',
    'constructor.x=1',
  ])('rejects %s and states what is expected', (pair) => {
    expect(() => all(pair)).toThrow(/Write it as|takes|Only limits/);
  });
});
