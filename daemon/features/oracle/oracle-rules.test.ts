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
  scoreFound,
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

describe('how a score comes about', () => {
  it('the three kinds of evidence fill what the others leave open', () => {
    expect(relevance({ text: 1, semantic: 0, capability: 0 })).toBeCloseTo(0.9, 12);
    expect(relevance({ text: 0, semantic: 1, capability: 0 })).toBeCloseTo(0.9, 12);
    expect(relevance({ text: 0, semantic: 0, capability: 1 })).toBeCloseTo(0.1, 12);
    expect(relevance({ text: 0.5, semantic: 0.4, capability: 0.3 })).toBeCloseTo(1 - 0.55 * 0.64 * 0.97, 12);
  });

  it('the history counts by its answers, its messages and its reputation', () => {
    const history = { reputation: 0.25, asked: 7, answered: 2, messagesThrough: 10 };
    const answers = (1 + (0.2 * 3) / 9) / 1.2;
    const messages = (1 + (0.02 * 10) / 15) / 1.02;
    expect(computeReliability(history)).toBeCloseTo((answers * messages * (1 + 0.3 * 0.25)) / 1.3, 12);
    expect(computeReliability(null)).toBeCloseTo(((1 + 0.2 / 2) / 1.2 / 1.02) * (1.15 / 1.3), 12);
  });

  it('who is named is above all others, by id above by name, and others go by their evidence and history', () => {
    const evidence = { text: 0.5, semantic: 0, capability: 0 };
    const history = { reputation: 0, asked: 9, answered: 0, messagesThrough: 0 };
    expect(scoreFound({ ...evidence, named: 'id' }, history)).toBe(1);
    expect(scoreFound({ ...evidence, named: 'name' }, history)).toBe(0.999);
    expect(scoreFound({ ...evidence, named: undefined }, history)).toBeCloseTo(0.45 * computeReliability(history), 12);
  });

  it('a listing counts a tenth by the time since the agent was seen', () => {
    const now = Date.UTC(2026, 10, 21);
    expect(listingScore(0.8, now, now)).toBeCloseTo(0.8, 12);
    expect(listingScore(0.8, now - 2 * 86_400_000, now)).toBeCloseTo(0.8 * 0.925, 12);
    expect(listingScore(0.8, 0, now)).toBeCloseTo(0.72, 12);
    expect([recency(-1, now), recency(1, 1), recency(1, 86_400_001)]).toEqual([0, 1, 0.5]);
  });

  it('a partner is raised by nothing once its score is full', () => {
    expect(promote(1, 0.05)).toEqual({ score: 1, added: 0 });
    expect(promote(0.4, 0)).toEqual({ score: 0.4, added: 0 });
    expect(promote(1.1, 0.05)).toEqual({ score: 1.1, added: 0 });
  });

  it('better rows come first, and the same row is equal to itself', () => {
    const row = (agentId: string, score: number) => ({ agentId, score });
    expect(byScore(row('a', 0.5), row('b', 0.6))).toBeGreaterThan(0);
    expect(byScore(row('b', 0.6), row('a', 0.5))).toBeLessThan(0);
    expect([byScore(row('a', 0.5), row('b', 0.5)), byScore(row('b', 0.5), row('a', 0.5))]).toEqual([-1, 1]);
    expect(byScore(row('a', 0.5), row('a', 0.5))).toBe(0);
  });
});

describe('the slots with the largest values', () => {
  const all = (count: number) => Uint32Array.from({ length: count }, (_, at) => at);

  it('are as many as are asked for, also among equal ones', () => {
    const values = new Float32Array(10).fill(0.5);
    expect(topK(values, all(10), 10, 4, 1)).toEqual([0, 1, 2, 3]);
    expect(topK(values, all(10), 10, 10, 1)).toHaveLength(10);
    values[9] = 1;
    expect(topK(values, all(10), 10, 3, 1)).toEqual([9, 0, 1]);
    expect(topK(values, all(10), 10, 1, 1)).toEqual([9]);
    expect(topK(values, all(10), 10, 0, 1)).toEqual([]);
  });

  it('are found among the first of those listed', () => {
    expect(topK(Float32Array.from([0.9, 0.1, 0.5]), Uint32Array.from([1, 2, 0]), 2, 1, 1)).toEqual([2]);
  });

  it('are told apart by a thousandth of the largest, and may exceed it', () => {
    const values = Float32Array.from({ length: 1_000 }, (_, at) => 0.003 * (at + 1));
    expect(topK(values, all(1_000), 1_000, 5, 3).sort((a, b) => a - b)).toEqual([995, 996, 997, 998, 999]);
    expect(topK(Float32Array.from([1, 7, 3]), all(3), 3, 1, 4)).toEqual([1]);
  });

  it('are above 0, whatever the largest', () => {
    expect(topK(Float32Array.from([0, 0.0001, 0]), all(3), 3, 3, 1)).toEqual([1]);
    expect(topK(Float32Array.from([1]), all(1), 1, 1, -1)).toEqual([]);
    expect(topK(Float32Array.from([1]), all(1), 1, 1, Number.NaN)).toEqual([]);
  });
});

describe('filters in full', () => {
  it.each([
    [{ capability: ' ' }, {}],
    [{ category: '' }, {}],
    [{ input_mode: ' ; q=1' }, {}],
    [{ output_mode: '' }, {}],
    [{ output_mode: ' Image/PNG ;q=1' }, { output_mode: 'image/png' }],
    [{ protocols: [] }, {}],
    [{ protocols: [' A2A ', 'a2a', ''] }, { protocols: ['a2a'] }],
    [{ tags: 'b,a' }, { tags: ['b', 'a'] }],
    [{ online_only: true }, {}],
    [{ max_price: 0, currency: 'Lamports' }, { max_price: { amount: 0, currency: 'lamports' } }],
  ])('%j are normalized to online ones of %j', (filters, constraints) => {
    expect(createConstraints(filters)).toEqual({ online_only: true, ...constraints });
  });

  it('a currency alone is refused with the filter that it needs', () => {
    expect(() => createConstraints({ currency: 'EUR' })).toThrow(
      expect.objectContaining({ code: 'bad_request', details: { path: 'filters.max_price' } }),
    );
  });
});

describe('a cursor in full', () => {
  const parts = ['50', '0.5', 'AAAAAAAAAAA', 'q-abcdefghijklmnop', 'agent_1-X'];
  const read = (changed: Record<number, string>, join = '|') =>
    readCursor(
      Buffer.from(parts.map((part, at) => changed[at] ?? part).join(join)).toString('base64url'),
      'AAAAAAAAAAA',
    );

  it.each([
    [{ 0: '0' }],
    [{ 0: '999999' }],
    [{ 1: '1' }],
    [{ 1: '0' }],
    [{ 1: '12.34' }],
    [{ 1: '1.5e-12' }],
    [{ 1: '5e-7' }],
    [{ 3: 'q-ABC_012-xyzabcde' }],
    [{ 4: 'x' }],
    [{ 4: 'x'.repeat(64) }],
  ])('%j is read', (changed) => {
    const [offset, score, digest, queryId, agentId] = parts.map(
      (part, at) => (changed as Record<number, string>)[at] ?? part,
    );
    expect(read(changed as Record<number, string>)).toEqual({
      ...{ offset: Number(offset), score: Number(score), digest, queryId, agentId },
    });
  });

  it.each([
    [{ 0: '' }],
    [{ 0: '1234567' }],
    [{ 0: 'x' }],
    [{ 0: ' 1' }],
    [{ 1: '' }],
    [{ 1: '-1' }],
    [{ 1: '1.' }],
    [{ 1: '.5' }],
    [{ 1: '1x5' }],
    [{ 1: '1e7' }],
    [{ 1: '1e-' }],
    [{ 2: 'AAAAAAAAAA' }],
    [{ 2: 'AAAAAAAAAAAA' }],
    [{ 2: 'AAAAAAAAAA.' }],
    [{ 3: 'q-abcdefghijklmno' }],
    [{ 3: 'q-abcdefghijklmnopq' }],
    [{ 3: 'x-abcdefghijklmnop' }],
    [{ 3: 'q-abcdefghijklmn.p' }],
    [{ 4: '' }],
    [{ 4: 'x'.repeat(65) }],
    [{ 4: 'a.b' }],
    [{ 4: 'agent\n' }],
  ])('%j is refused', (changed) => {
    expect(() => read(changed as Record<number, string>)).toThrow(
      expect.objectContaining({
        code: 'bad_request',
        message: '"cursor" must be a next_cursor of this search, unchanged.',
        details: { path: 'cursor' },
      }),
    );
  });

  it('of another search is refused with what to do', () => {
    expect(() => read({ 2: 'BBBBBBBBBBB' })).toThrow(
      expect.objectContaining({
        message: '"cursor" is of another search: send the same query and filters as before, or no cursor.',
        details: { path: 'cursor' },
      }),
    );
    expect(() => read({}, ',')).toThrow('unchanged');
  });
});

describe('a variable of agent search', () => {
  const EMBEDDINGS = { MESHD_EMBEDDINGS_URL: 'https://m.example', MESHD_EMBEDDINGS_MODEL: 'm' };
  const RATE = 'MESHD_LAMPORTS_USD must be what one lamport is worth in US dollars, for example 0.00000015.';
  const RATES =
    'MESHD_RATES must be a list such as EUR=1.08,GBP=1.27: what the amount 1 of a price is worth in US dollars.';
  const PROMOTED = 'MESHD_PROMOTED_AGENTS must be a list of ids, each alone or with =0.01 to =0.05.';
  const URL_BARE =
    'MESHD_EMBEDDINGS_URL must be without user, password, query and fragment: the key has a variable of its own.';
  const MODEL = 'MESHD_EMBEDDINGS_MODEL must name the model at MESHD_EMBEDDINGS_URL.';
  const KEY = 'MESHD_EMBEDDINGS_KEY_NAME must name a variable that holds the key, one line without spaces.';
  const cannotSet = (currency: string) =>
    `MESHD_RATES cannot set ${currency}: lamports have MESHD_LAMPORTS_USD, USD amounts are cents.`;
  const HTTPS = 'MESHD_EMBEDDINGS_URL must be https: plain http is for endpoints on this machine only.';

  it.each<[Record<string, string>, string]>([
    [{ MESHD_LAMPORTS_USD: '0' }, RATE],
    [{ MESHD_LAMPORTS_USD: '1' }, RATE],
    [{ MESHD_LAMPORTS_USD: 'x' }, RATE],
    [{ MESHD_RATES: 'EUR' }, RATES],
    [{ MESHD_RATES: 'EUR=0' }, RATES],
    [{ MESHD_RATES: 'EUR=-1' }, RATES],
    [{ MESHD_RATES: 'EUR=1,GBP' }, RATES],
    [{ MESHD_RATES: 'E=1' }, RATES],
    [{ MESHD_RATES: `${'E'.repeat(17)}=1` }, RATES],
    [{ MESHD_RATES: 'EU1=1' }, RATES],
    [{ MESHD_RATES: '€UR=1' }, RATES],
    [{ MESHD_RATES: 'EUR=1.' }, RATES],
    [{ MESHD_RATES: 'EUR=.5' }, RATES],
    [{ MESHD_RATES: 'EUR=1x5' }, RATES],
    [{ MESHD_RATES: `EUR=${'1'.repeat(13)}` }, RATES],
    [{ MESHD_RATES: `EUR=1.${'1'.repeat(19)}` }, RATES],
    [{ MESHD_RATES: 'USD=1' }, cannotSet('USD')],
    [{ MESHD_RATES: 'Lamports=1' }, cannotSet('Lamports')],
    [{ MESHD_RATES: 'free=1' }, cannotSet('free')],
    [{ MESHD_PROMOTED_AGENTS: 'ab' }, PROMOTED],
    [{ MESHD_PROMOTED_AGENTS: 'x'.repeat(65) }, PROMOTED],
    [{ MESHD_PROMOTED_AGENTS: 'abc=0' }, PROMOTED],
    [{ MESHD_PROMOTED_AGENTS: 'abc=0.051' }, PROMOTED],
    [{ MESHD_PROMOTED_AGENTS: 'abc=' }, PROMOTED],
    [{ MESHD_PROMOTED_AGENTS: 'abc=0.01x' }, PROMOTED],
    [{ MESHD_PROMOTED_AGENTS: '.abc' }, PROMOTED],
    [{ MESHD_EMBEDDINGS_URL: 'nonsense' }, 'MESHD_EMBEDDINGS_URL must be an http(s) address.'],
    [{ MESHD_EMBEDDINGS_URL: 'ftp://m.example' }, 'MESHD_EMBEDDINGS_URL must be an http(s) address.'],
    [{ MESHD_EMBEDDINGS_URL: 'https://me@m.example' }, URL_BARE],
    [{ MESHD_EMBEDDINGS_URL: 'https://:secret@m.example' }, URL_BARE],
    [{ MESHD_EMBEDDINGS_URL: 'https://m.example?key=1' }, URL_BARE],
    [{ MESHD_EMBEDDINGS_URL: 'https://m.example#key' }, URL_BARE],
    [{ MESHD_EMBEDDINGS_URL: 'http://m.example' }, HTTPS],
    [{ MESHD_EMBEDDINGS_URL: 'http://localhost.m.example' }, HTTPS],
    [{ MESHD_EMBEDDINGS_URL: 'http://m.localhost' }, HTTPS],
    [{ MESHD_EMBEDDINGS_URL: 'https://m.example' }, MODEL],
    [{ ...EMBEDDINGS, MESHD_EMBEDDINGS_MODEL: ' ' }, MODEL],
    [{ ...EMBEDDINGS, MESHD_EMBEDDINGS_MODEL: 'm'.repeat(201) }, MODEL],
    [{ ...EMBEDDINGS, MESHD_EMBEDDINGS_KEY_NAME: 'ABSENT' }, KEY],
    [{ ...EMBEDDINGS, MESHD_EMBEDDINGS_KEY_NAME: 'KEY', KEY: 'a b' }, KEY],
    [{ ...EMBEDDINGS, MESHD_EMBEDDINGS_KEY_NAME: 'KEY', KEY: 'ä' }, KEY],
    [{ ...EMBEDDINGS, MESHD_EMBEDDINGS_KEY_NAME: 'KEY', KEY: 'k'.repeat(4_097) }, KEY],
  ])('%# is refused with what it must be', (environment, message) => {
    expect(() => oracleSettings(environment)).toThrow(expect.objectContaining({ code: 'bad_request', message }));
  });

  it('has blanks around it that count for nothing, and may be empty', () => {
    expect(oracleSettings({ MESHD_LAMPORTS_USD: ' ', MESHD_RATES: ' ', MESHD_PROMOTED_AGENTS: '' })).toEqual(
      oracleSettings({}),
    );
    expect(oracleSettings({ MESHD_LAMPORTS_USD: ' 0.5 ' }).rates.get('lamports')).toBe(0.5);
  });

  it('of rates is a list in which blanks and empty places count for nothing', () => {
    const { rates } = oracleSettings({ MESHD_RATES: ' EUR = 1.25 ,, gbpGBPgbpGBPgbpG=123456789012.5,xy=0.5' });
    expect(Object.fromEntries(rates)).toEqual({ usd: 0.01, eur: 1.25, gbpgbpgbpgbpgbpg: 123_456_789_012.5, xy: 0.5 });
  });

  it('of partners is a list in which blanks and empty places count for nothing', () => {
    const { promoted } = oracleSettings({ MESHD_PROMOTED_AGENTS: ` Abc ,,d_e-1=.05,${'x'.repeat(64)}=0.001` });
    expect([...promoted]).toEqual([
      ['abc', 0.05],
      ['d_e-1', 0.05],
      ['x'.repeat(64), 0.001],
    ]);
  });

  it.each([
    ['https://m.example', 'https://m.example/v1'],
    ['https://m.example/', 'https://m.example/v1'],
    ['https://m.example/api/v2/', 'https://m.example/api/v2'],
    ['http://localhost:8080', 'http://localhost:8080/v1'],
    ['http://[::1]:8080/v3', 'http://[::1]:8080/v3'],
    ['http://127.9.12.255', 'http://127.9.12.255/v1'],
  ])('with the address %s is asked at %s', (address, baseUrl) => {
    const { embeddings } = oracleSettings({ ...EMBEDDINGS, MESHD_EMBEDDINGS_URL: address });
    expect(embeddings).toEqual({ baseUrl, model: 'm', apiKey: undefined });
  });

  it('takes a model of two hundred characters and a key of 4,096', () => {
    const [model, key] = ['m'.repeat(200), `!${'k'.repeat(4_094)}~`];
    const environment = { ...EMBEDDINGS, MESHD_EMBEDDINGS_MODEL: model, MESHD_EMBEDDINGS_KEY_NAME: 'KEY', KEY: key };
    expect(oracleSettings(environment).embeddings).toMatchObject({ model, apiKey: key });
  });
});
