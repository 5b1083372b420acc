import { describe, expect, it } from 'vitest';
import type { Tier1Pricing } from '../../contract/network/agents.js';
import { createConstraints } from './constraints.js';
import { readCursor, writeCursor } from './cursor.js';
import { oracleSettings } from './oracle-settings.js';
import { CENTS, comparablePrice, isWithin, type Rates } from './price.js';
import {
  byReputation,
  byScore,
  computeReliability,
  listingScore,
  promote,
  recency,
  relevance,
  UNRATED,
} from './ranking.js';
import { topK } from './top-k.js';

const ratesWith = (lamports: number | undefined): Rates =>
  new Map([...CENTS, ...(lamports === undefined ? [] : [['lamports', lamports] as const])]);
/** A price as a card may hold it; cards of earlier versions may name other currencies. */
const price = (amount: number, currency: string) => ({ unit: 'request', amount, currency }) as Tier1Pricing;

describe('the price of an action in US dollars', () => {
  it.each([
    [price(5, 'free'), undefined, 0],
    [price(0, 'lamports'), undefined, 0],
    [price(0, 'doubloons'), undefined, 0],
    [price(150, 'USD'), undefined, 1.5],
    [price(150, 'usd'), undefined, 1.5],
    [price(2_000_000, 'lamports'), 1.5e-7, 0.3],
    [price(2_000_000, 'lamports'), undefined, 'no_lamports_rate'],
    [price(3, 'EUR'), 1.5e-7, 'unknown_currency'],
    [null, 1.5e-7, 'no_price'],
  ])('%j at %s is %s', (pricing, rate, usd) => {
    const told = comparablePrice(pricing, ratesWith(rate)).usd;
    if (typeof usd === 'number') expect(told).toBeCloseTo(usd, 12);
    else expect(told).toBe(usd);
  });
});

describe('a price limit', () => {
  const rates: Rates = new Map([...CENTS, ['eur', 1.1]]);
  it.each([
    [price(500, 'lamports'), 500, 'lamports', true],
    [price(501, 'lamports'), 500, 'lamports', false],
    [price(3, 'doubloons'), 3, 'doubloons', true],
    [price(110, 'USD'), 1, 'eur', true],
    [price(111, 'USD'), 1, 'eur', false],
    [price(1, 'EUR'), 1.1, 'usd', true],
    [price(0, 'doubloons'), 0, 'lamports', true],
    [price(5, 'lamports'), 1, 'eur', 'no_lamports_rate'],
    [price(5, 'doubloons'), 1, 'eur', 'unknown_currency'],
    [price(5, 'USD'), 500, 'lamports', 'no_rate_of_limit'],
    [null, 500, 'lamports', 'no_price'],
  ])('%j within %d %s is %s', (pricing, amount, currency, expected) => {
    expect(isWithin(comparablePrice(pricing, rates), { amount, currency }, rates)).toBe(expected);
  });
});

describe('relevance', () => {
  it('is 0 for a row without evidence and at most 1', () => {
    expect(relevance({ text: 0, semantic: 0, capability: 0 })).toBe(0);
    expect(relevance({ text: 1, semantic: 1, capability: 1 })).toBeLessThanOrEqual(1);
  });

  it.each(['text', 'semantic', 'capability'] as const)('increases with %s, whatever the other evidence', (ground) => {
    for (const text of [0, 0.3, 0.9]) {
      for (const semantic of [0, 0.5, 0.9]) {
        const evidence = { text, semantic, capability: 0.2 };
        expect(relevance({ ...evidence, [ground]: evidence[ground] + 0.05 })).toBeGreaterThan(relevance(evidence));
      }
    }
  });
});

describe('reputation', () => {
  it.each([
    [1, 0.8],
    [0, 0.8 / 1.3],
    [0.5, (0.8 * 1.15) / 1.3],
  ])('a score of %s multiplies by (1 + 0.3 r) / 1.3', (score, expected) => {
    expect(byReputation(0.8, score)).toBeCloseTo(expected, 12);
  });

  it('treats an agent without a score as average', () => {
    expect(byReputation(0.8, null)).toBe(byReputation(0.8, UNRATED));
    expect(byReputation(0.8, null)).toBeGreaterThan(byReputation(0.8, 0.2));
    expect(byReputation(0.8, null)).toBeLessThan(byReputation(0.8, 0.8));
  });

  it('takes precedence over recency when there is no query', () => {
    const now = Date.UTC(2026, 10, 21);
    expect(recency(now, now)).toBe(1);
    expect(recency(now - 86_400_000, now)).toBe(0.5);
    expect(recency(now + 5_000, now)).toBe(1);
    expect(recency(0, now)).toBe(0);
    expect(listingScore(0.9, now - 5 * 86_400_000, now)).toBeGreaterThan(listingScore(0.3, now, now));
    expect(listingScore(0.9, now - 1000, now)).toBeGreaterThan(listingScore(0.9, now - 86_400_000, now));
  });
});

describe('computeReliability', () => {
  const history = (asked: number, answered: number, messagesThrough = 0) =>
    computeReliability({ reputation: null, asked, answered, messagesThrough });

  it.each([1, 2, 10, 200])(
    'of an agent that was never asked is above one that left all of %i questions open',
    (asked) => {
      expect(computeReliability(null)).toBeGreaterThan(history(asked, 0));
      expect(computeReliability(null)).toBeGreaterThan(history(asked, 0, 1_000_000));
      expect(computeReliability(null)).toBeLessThan(history(asked, asked));
    },
  );

  it('grows with every answer and every message that reached it, from 0 to 1', () => {
    expect(history(10, 6)).toBeGreaterThan(history(10, 5));
    expect(history(20, 20)).toBeGreaterThan(history(2, 2));
    expect(history(10, 5, 1)).toBeGreaterThan(history(10, 5));
    expect(computeReliability({ reputation: 1, asked: 200, answered: 200, messagesThrough: 1e6 })).toBeLessThanOrEqual(
      1,
    );
  });
});

describe('promotion', () => {
  it.each([
    [0.4, 0.03, 0.43, 0.03],
    [0.4, 0.2, 0.45, 0.05],
    [0.98, 0.05, 1, 0.02],
    [1, 0.05, 1, 0],
    [0.4, 0, 0.4, 0],
  ])('%s with a boost of %s is %s, of which it added %s', (score, boost, sum, added) => {
    const promoted = promote(score, boost);
    expect(promoted.score).toBeCloseTo(sum, 12);
    expect(promoted.added).toBeCloseTo(added, 12);
  });

  it('never ranks a row above one that is more than 0.05 better', () => {
    const rows = [
      { ...promote(0.5, 0.05), agentId: 'promoted' },
      { score: 0.56, agentId: 'better' },
    ];
    expect(rows.sort(byScore)[0]?.agentId).toBe('better');
  });
});

it('rows with equal scores are sorted by id', () => {
  const rows = ['c', 'a', 'b'].map((agentId) => ({ agentId, score: 0.5 }));
  expect(rows.sort(byScore).map(({ agentId }) => agentId)).toEqual(['a', 'b', 'c']);
});

describe('filters', () => {
  it.each([
    [{}, { online_only: true }],
    [{ online_only: false }, { online_only: false }],
    [{ tags: ' Law, court ,,law' }, { online_only: true, tags: ['law', 'court'] }],
    [{ tags: ['Law', 'Court'] }, { online_only: true, tags: ['law', 'court'] }],
    [{ tags: ',' }, { online_only: true }],
    [{ protocols: 'MCP,a2a' }, { online_only: true, protocols: ['mcp', 'a2a'] }],
    [{ input_mode: 'Text/HTML; charset=utf-8' }, { online_only: true, input_mode: 'text/html' }],
    [{ country: 'de' }, { online_only: true, country: 'DE' }],
    [{ max_price_usd: 0 }, { online_only: true, max_price_usd: 0 }],
    [{ max_price: 2 }, { online_only: true, max_price: { amount: 2, currency: 'usd' } }],
    [
      { max_price: 2, currency: 'EUR' },
      { online_only: true, max_price: { amount: 2, currency: 'eur' } },
    ],
    [
      { capability: ' OCR ', category: 'Data.PDF' },
      { online_only: true, capability: 'ocr', category: 'data.pdf' },
    ],
  ])('%j are normalized to %j', (filters, constraints) => {
    expect(createConstraints(filters)).toEqual(constraints);
  });
});

describe('a cursor', () => {
  const place = {
    queryId: 'q-abcdefghijklmnop',
    digest: 'AAAAAAAAAAA',
    offset: 50,
    score: 0.123456789,
    agentId: 'x'.repeat(64),
  };

  it('round-trips its position and is at most 200 characters long', () => {
    const cursor = writeCursor(place);
    expect(readCursor(cursor, place.digest)).toEqual(place);
    expect(cursor.length).toBeLessThanOrEqual(200);
    expect(readCursor(writeCursor({ ...place, score: 1.5e-7 }), place.digest).score).toBe(1.5e-7);
  });

  it('of another search is refused', () => {
    expect(() => readCursor(writeCursor(place), 'BBBBBBBBBBB')).toThrow('of another search');
  });

  it.each(['', 'x', 'MTIz', Buffer.from('1|2|AAAAAAAAAAA|q-abcdefghijklmnop|../..').toString('base64url')])(
    '%j is refused as malformed',
    (cursor) => {
      expect(() => readCursor(cursor, place.digest)).toThrow('next_cursor');
    },
  );
});

describe('strongest', () => {
  it('returns the slots with the largest values, and all of them when fewer exist', () => {
    const values = Float32Array.from([0.1, 0.9, 0.5, 0.7, 0.3, 0]);
    const among = Uint32Array.from([0, 1, 2, 3, 4, 5]);
    expect(topK(values, among, 6, 2, 1).sort()).toEqual([1, 3]);
    expect(topK(values, among, 6, 100, 1).sort()).toEqual([0, 1, 2, 3, 4]);
    expect(topK(values, among, 3, 1, 1)).toEqual([1]);
    expect(topK(values, among, 6, 2, 0)).toEqual([]);
  });
});

describe('the configuration of agent search', () => {
  it('is empty without variables', () => {
    expect(oracleSettings({})).toEqual({ rates: CENTS, promoted: new Map(), embeddings: undefined });
  });

  it('reads a rate, promoted agents and an endpoint', () => {
    const settings = oracleSettings({
      MESHD_LAMPORTS_USD: '0.00000015',
      MESHD_RATES: 'EUR=1.08, gbp=1.27',
      MESHD_PROMOTED_AGENTS: 'Acme-One, acme-two=0.02',
      MESHD_EMBEDDINGS_URL: 'http://127.0.0.1:11434/',
      MESHD_EMBEDDINGS_MODEL: 'small',
      MESHD_EMBEDDINGS_KEY_NAME: 'THEIR_KEY',
      THEIR_KEY: 'key-of-the-operator',
    });
    expect(Object.fromEntries(settings.rates)).toEqual({ usd: 0.01, lamports: 1.5e-7, eur: 1.08, gbp: 1.27 });
    expect([...settings.promoted]).toEqual([
      ['acme-one', 0.05],
      ['acme-two', 0.02],
    ]);
    expect(settings.embeddings).toEqual({
      baseUrl: 'http://127.0.0.1:11434/v1',
      model: 'small',
      apiKey: 'key-of-the-operator',
    });
  });

  it.each([
    [{ MESHD_LAMPORTS_USD: 'much' }, 'MESHD_LAMPORTS_USD'],
    [{ MESHD_LAMPORTS_USD: '-1' }, 'MESHD_LAMPORTS_USD'],
    [{ MESHD_PROMOTED_AGENTS: 'acme=0.5' }, 'MESHD_PROMOTED_AGENTS'],
    [{ MESHD_PROMOTED_AGENTS: 'a b' }, 'MESHD_PROMOTED_AGENTS'],
    [{ MESHD_EMBEDDINGS_URL: 'ftp://x' }, 'MESHD_EMBEDDINGS_URL'],
    [{ MESHD_EMBEDDINGS_URL: 'http://models.example/v1' }, 'must be https'],
    [{ MESHD_EMBEDDINGS_URL: 'https://me:secret@models.example' }, 'without user, password'],
    [{ MESHD_EMBEDDINGS_URL: 'https://models.example' }, 'MESHD_EMBEDDINGS_MODEL'],
    [
      { MESHD_EMBEDDINGS_URL: 'https://m.example', MESHD_EMBEDDINGS_MODEL: 'm', MESHD_EMBEDDINGS_KEY_NAME: 'NONE' },
      'KEY_NAME',
    ],
  ])('%j is refused with the name of the variable', (environment, said) => {
    expect(() => oracleSettings(environment)).toThrow(said);
  });
});
