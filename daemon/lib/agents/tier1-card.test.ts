import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Tier1Card } from '../../contract/network/agents.js';
import { MeshError } from '../errors.js';
import { checkEndpoint, checkedCard } from './tier1-card.js';

const CARD = {
  endpoint: 'https://lamp.example/agent',
  description: 'Switches the harbour lights.',
  tags: ['light', 'harbour'],
  category: 'home.light',
  accepts: ['application/json', 'text/*'],
  produces: ['text/plain; charset=utf-8'],
  protocols: ['http', 'a2a', 'mcp', 'x402'],
  pricing: { unit: 'request', amount: 250, currency: 'lamports' },
  availability: { now: true },
};
const KEYS = Object.keys(Tier1Card.properties);

const refusal = (card: unknown): MeshError => {
  try {
    checkedCard(card);
  } catch (error) {
    if (error instanceof MeshError) return error;
    throw error;
  }
  throw new Error('it was accepted');
};

describe('a discovery card', () => {
  it('is stored exactly as it was sent', () => {
    expect(checkedCard(structuredClone(CARD))).toEqual(CARD);
    expect(checkedCard({})).toEqual({});
  });

  it('names the value of the wrong format', () => {
    expect(() => checkedCard({ ...CARD, category: 'Home light' })).toThrow(
      /^"agent_card\.category" .*, not "Home light"\.$/,
    );
  });

  it('holds every key of the specification and may lack any of them', () => {
    expect(KEYS).toEqual([
      'endpoint',
      'description',
      'tags',
      'category',
      'accepts',
      'produces',
      'protocols',
      'pricing',
      'availability',
    ]);
    fc.assert(
      fc.property(fc.subarray(KEYS), (keys) => {
        const some = Object.fromEntries(Object.entries(CARD).filter(([key]) => keys.includes(key)));
        expect(checkedCard(some)).toEqual(some);
      }),
      { seed: 20261121 },
    );
  });

  it('with one key outside the allow-list is rejected with the name of the key', () => {
    const words = fc.oneof(
      fc.string({ minLength: 1, maxLength: 40 }),
      fc.constantFrom(
        'skills',
        'examples',
        'contact',
        'sla',
        'docs',
        'name',
        'url',
        'constructor',
        'toString',
        '__proto__',
        'Endpoint',
        'tags ',
      ),
    );
    fc.assert(
      fc.property(
        fc.subarray(KEYS),
        words.filter((key) => !KEYS.includes(key)),
        fc.jsonValue(),
        (kept, key, value) => {
          const card = Object.fromEntries(Object.entries(CARD).filter(([known]) => kept.includes(known)));
          Object.defineProperty(card, key, { value, enumerable: true });
          expect(refusal(card)).toMatchObject({ code: 'unknown_card_key', details: { keys: [key] } });
        },
      ),
      { seed: 20261121, numRuns: 300 },
    );
  });

  it('with several such keys is rejected with the names of all of them', () => {
    expect(refusal({ ...CARD, skills: [], docs: 'x' }).details['keys']).toEqual(['skills', 'docs']);
  });

  it.each([
    ['pricing', { pricing: { ...CARD.pricing, per: 'day' } }, 'pricing.per'],
    ['pricing', { pricing: { ...CARD.pricing, network: 'solana:devnet' } }, 'pricing.network'],
    ['availability', { availability: { now: true, sla: 'gold' } }, 'availability.sla'],
  ])('with an unknown key inside %s is rejected with the name of the key', (_name, card, key) => {
    expect(refusal(card)).toMatchObject({ code: 'unknown_card_key', details: { keys: [key] } });
  });

  it.each<[string, unknown, string]>([
    ['no object', 'card', 'agent_card'],
    ['null', null, 'agent_card'],
    ['a list', [], 'agent_card'],
    ['an empty description', { description: '' }, 'agent_card.description'],
    ['a description of 1,001 characters', { description: 'x'.repeat(1001) }, 'agent_card.description'],
    ['33 tags', { tags: Array.from({ length: 33 }, (_, i) => `t${i}`) }, 'agent_card.tags'],
    ['a tag of 65 characters', { tags: ['x'.repeat(65)] }, 'agent_card.tags.0'],
    ['an empty tag', { tags: ['fine', ''] }, 'agent_card.tags.1'],
    ['tags as text', { tags: 'x' }, 'agent_card.tags'],
    ['an upper-case category', { category: 'Home.Light' }, 'agent_card.category'],
    ['a category with an empty part', { category: 'home..light' }, 'agent_card.category'],
    ['an input type that is no media type', { accepts: ['text/plain', 'json'] }, 'agent_card.accepts.1'],
    ['an output type that is no media type', { produces: ['text/'] }, 'agent_card.produces.0'],
    ['a negative price', { pricing: { ...CARD.pricing, amount: -1 } }, 'agent_card.pricing.amount'],
    ['half a lamport', { pricing: { ...CARD.pricing, amount: 0.5 } }, 'agent_card.pricing.amount'],
    [
      'more lamports than can be counted',
      { pricing: { ...CARD.pricing, amount: 2 ** 53 } },
      'agent_card.pricing.amount',
    ],
    ['a price in another currency', { pricing: { ...CARD.pricing, currency: 'EUR' } }, 'agent_card.pricing.currency'],
    ['a price without a unit', { pricing: { amount: 1, currency: 'USD' } }, 'agent_card.pricing.unit'],
    ['availability without now', { availability: {} }, 'agent_card.availability.now'],
    ['availability as text', { availability: { now: 'yes' } }, 'agent_card.availability.now'],
    ['an endpoint that is a number', { endpoint: 7 }, 'agent_card.endpoint'],
    ['an endpoint that is no URL', { endpoint: 'lamp.example' }, 'agent_card.endpoint'],
    ['an endpoint with credentials', { endpoint: 'https://me:pw@lamp.example/' }, 'agent_card.endpoint'],
    ['an endpoint with a fragment', { endpoint: 'https://lamp.example/#x' }, 'agent_card.endpoint'],
    ['an endpoint of another scheme', { endpoint: 'javascript:alert(1)' }, 'agent_card.endpoint'],
    ['an endpoint on port 0', { endpoint: 'https://lamp.example:0/' }, 'agent_card.endpoint'],
  ])('is rejected with its path: %s', (_name, card, path) => {
    expect(refusal(card)).toMatchObject({ code: 'bad_request', details: { path } });
  });

  it('may have a fractional price in a currency other than lamports', () => {
    expect(() => checkedCard({ pricing: { unit: 'request', amount: 0.5, currency: 'USD' } })).not.toThrow();
  });

  it('may be as long as its fields allow, and is refused as a whole above 32 KiB', () => {
    // Escaped control characters make a short text long on the wire.
    const fat = (length: number) => '\u0001'.repeat(length);
    const types = Array.from({ length: 32 }, () => `text/${'x'.repeat(122)}`);
    const card = {
      tags: Array.from({ length: 32 }, () => fat(64)),
      protocols: Array.from({ length: 16 }, () => fat(32)),
      accepts: types,
      produces: types,
      description: fat(1000),
      pricing: { unit: fat(64), amount: 1, currency: 'lamports' },
      endpoint: `https://a.example/${'x'.repeat(2048)}`.slice(0, 2048),
    };
    expect(() => checkedCard(card)).not.toThrow();
    const rest = 32 * 1024 - Buffer.byteLength(JSON.stringify({ description: '' }));
    const path = (length: number) => refusal({ description: 'x'.repeat(length) }).details['path'];
    expect([path(rest), path(rest + 1)]).toEqual(['agent_card.description', 'agent_card']);
  });
});

describe('an endpoint', () => {
  it.each([
    'https://a.example',
    'https://a.example:8443/x?y=z',
    'http://127.0.0.1:4747/team/x',
    'http://localhost:1',
    'http://[::1]:80/',
    'http://127.8.9.1/',
  ])('accepts %s', (endpoint) => {
    expect(() => checkEndpoint(endpoint)).not.toThrow();
  });

  it.each([
    'http://a.example',
    'http://10.0.0.1/',
    'http://0.0.0.0/',
    'http://localhost.evil.example/',
    'http://127.0.0.1.evil.example/',
    'HTTP://A.EXAMPLE',
  ])('rejects %s, which leaves this machine in plaintext, with plaintext_endpoint', (endpoint) => {
    expect(() => checkEndpoint(endpoint)).toThrow(expect.objectContaining({ code: 'plaintext_endpoint' }));
  });
});
