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
    ['a category without a dot', { category: 'home' }, 'agent_card.category'],
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

describe('a card that is rejected', () => {
  const messageOf = (card: unknown) => refusal(card).message;

  it('is told what is expected, with the path', () => {
    expect(messageOf([])).toBe('"agent_card" must be an object.');
    expect(messageOf({ tags: 'x' })).toBe('"agent_card.tags" must be array.');
    expect(messageOf({ availability: {} })).toBe('"agent_card.availability.now" is required.');
    expect(messageOf({ pricing: { unit: 'x', amount: 1, currency: 'EUR' } })).toBe(
      '"agent_card.pricing.currency" must be one of free, lamports, USD.',
    );
    expect(messageOf({ pricing: { unit: 'x', amount: 0.5, currency: 'lamports' } })).toBe(
      '"agent_card.pricing.amount" must be an integer for lamports.',
    );
    expect(messageOf({ accepts: ['text/plain', 'json'] })).toBe(
      '"agent_card.accepts.1" must be a media type such as text/plain.',
    );
    expect(messageOf({ description: 'x'.repeat(40_000) })).toBe('"agent_card" is larger than 32768 bytes.');
    expect(messageOf({ skills: [], docs: 'x' })).toBe(
      `A discovery card holds only ${KEYS.join(', ')}: leave out skills, docs.`,
    );
  });

  it('is named by its path in the body', () => {
    const at = (card: unknown) => {
      try {
        checkedCard(card, 'cards.0');
      } catch (error) {
        return (error as MeshError).details['path'];
      }
      return undefined;
    };
    expect([[], { skills: 1 }, { tags: 'x' }, { endpoint: 'x' }, { produces: ['abc'] }].map(at)).toEqual([
      'cards.0',
      'cards.0',
      'cards.0.tags',
      'cards.0.endpoint',
      'cards.0.produces.0',
    ]);
    expect(refusal({ pricing: { ...CARD.pricing, per: 'day' } }).details['path']).toBe('agent_card');
  });
});

describe('a media type', () => {
  it.each([
    '*/*',
    'text/*',
    'application/vnd.api+json',
    'TEXT/PLAIN',
    'text/plain;charset=utf-8',
    'text/plain; charset=utf-8;\tq=0.5',
    'x-a.b_c^d&e$f#g!h/0',
  ])('is accepted as %j', (type) => {
    expect(checkedCard({ accepts: [type], produces: [type] })).toEqual({ accepts: [type], produces: [type] });
  });

  it.each([
    'text',
    'text/plain/x',
    'text/ plain',
    ' text/plain',
    'text/plain ',
    '.text/plain',
    'text/.plain',
    '**/x',
    'text/**',
    'text/plain;',
    'text/plain;charset',
    'text/plain;=x',
    'text/plain;a="b"',
    'text/plain;a=b c',
    'text/plain;a=b;',
    'text/plain\n',
  ])('is rejected as %j', (type) => {
    expect(refusal({ accepts: [type] })).toMatchObject({ details: { path: 'agent_card.accepts.0' } });
  });
});

describe('an endpoint', () => {
  it.each([
    ['a.example', '"endpoint" must be an https: URL.'],
    ['ftp://a.example', '"endpoint" must be an https: URL.'],
    ['', '"endpoint" must be an https: URL.'],
    ['https://a.example/ x', '"endpoint" must be an https: URL.'],
    ['https://a.example/\u200b', '"endpoint" must be an https: URL.'],
    ['https://a.example/\u00a0', '"endpoint" must be an https: URL.'],
    [`https://a.example/${'x'.repeat(2_031)}`, '"endpoint" must be an https: URL.'],
    ['https://me@a.example', '"endpoint" must not carry credentials.'],
    ['https://:pw@a.example', '"endpoint" must not carry credentials.'],
    ['https://a.example/#', '"endpoint" must not have a fragment.'],
    ['https://a.example:0', '"endpoint" must not name port 0.'],
    ['http://a.example', '"endpoint" is plain http: serve the agent over https.'],
  ])('is rejected as %j, and told why', (endpoint, message) => {
    expect(() => checkEndpoint(endpoint)).toThrow(expect.objectContaining({ message, details: { path: 'endpoint' } }));
    expect(() => checkEndpoint(endpoint, 'card.endpoint')).toThrow(
      expect.objectContaining({ details: { path: 'card.endpoint' } }),
    );
  });

  it('has at most 2,048 characters', () => {
    expect(() => checkEndpoint(`https://a.example/${'x'.repeat(2_030)}`)).not.toThrow();
  });

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
    'http://x127.0.0.1.example/',
    'http://128.0.0.1/',
    'http://[::2]/',
    'HTTP://A.EXAMPLE',
  ])('rejects %s, which leaves this machine in plaintext, with plaintext_endpoint', (endpoint) => {
    expect(() => checkEndpoint(endpoint)).toThrow(expect.objectContaining({ code: 'plaintext_endpoint' }));
  });
});
