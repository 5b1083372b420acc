import { describe, expect, it } from 'vitest';
import { toShownCard } from './record-card.js';

const RECORD = { card: null, endpoint: 'https://a.example', description: 'Lights.', capabilities: ['light'] };
const OWN = { endpoint: 'https://a.example', description: 'Lights.', tags: ['light'] };

describe('the card of an agent', () => {
  it('is the one that it has published', () => {
    const card = { description: 'Mine.', availability: { now: true } };
    expect(toShownCard({ ...RECORD, card })).toBe(card);
  });

  it('is made of its record when it has published none', () => {
    expect(toShownCard(RECORD)).toEqual(OWN);
    expect(toShownCard({ ...RECORD, card: {} })).toEqual(OWN);
  });

  it('is that of its record with its availability when it has published only that', () => {
    expect(toShownCard({ ...RECORD, card: { availability: { now: false } } })).toEqual({
      ...OWN,
      availability: { now: false },
    });
  });

  it('has no key without a value', () => {
    expect(toShownCard({ card: null, description: null, capabilities: [] })).toEqual({});
    expect(Object.keys(toShownCard({ card: null, endpoint: null, description: '', capabilities: [''] }))).toEqual([]);
  });

  it('is within the limits of a card', () => {
    const capabilities = ['', 'x'.repeat(65), 'x'.repeat(64), ...Array.from({ length: 40 }, (_, tag) => `t${tag}`)];
    const card = toShownCard({ card: null, description: 'd'.repeat(1_001), capabilities });
    expect(card.description).toBe('d'.repeat(1_000));
    expect(card.tags).toEqual(['x'.repeat(64), ...Array.from({ length: 31 }, (_, tag) => `t${tag}`)]);
  });
});
