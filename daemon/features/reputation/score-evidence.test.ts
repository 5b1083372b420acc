import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Dims, Proof } from '../../contract/network/reputation.js';
import {
  computeScoreEvidence,
  creditScore,
  getProofWeight,
  reportRules,
  type WeighedReport,
} from './score-evidence.js';

const T = 1_795_262_400;
const DAY = 86_400;
const report = (value: number, proof: Proof, reporter = 'a', filed_at = T): WeighedReport => ({
  reporter,
  proof,
  dims: { quality: value },
  filed_at,
});
const score = (reports: WeighedReport[], asOf = T) => computeScoreEvidence(reports, asOf).score;
const many = (n: number, value: number, proof: Proof) =>
  Array.from({ length: n }, (_, i) => report(value, proof, `${proof} ${i}`));

describe('standingOf', () => {
  it('returns no score without reports', () => {
    expect(computeScoreEvidence([], T)).toEqual({ score: null, dims: {}, isSteady: true });
  });

  it('of a report from the future changes with time alone, once the report has aged', () => {
    const reports = [report(1, 'bound', 'a', T + DAY), report(0, 'bound', 'b', T - 30 * DAY)];
    expect(computeScoreEvidence(reports, T).isSteady).toBe(false);
    expect(score(reports, T + DAY)).not.toBe(score(reports, T));
    expect(computeScoreEvidence(reports, T + DAY).isSteady).toBe(true);
  });

  it('weighs reliability 0.4, quality 0.3, speed 0.2 and settlement 0.1', () => {
    const dims = { reliability: 1, quality: 0.5, speed: 0.25, settlement: 0 };
    expect(computeScoreEvidence([{ reporter: 'a', proof: 'unbound', dims, filed_at: T }], T)).toMatchObject({
      score: 0.6,
      dims,
    });
  });

  it.each<[Dims, number]>([
    [{ reliability: 1, quality: 0 }, 0.571429],
    [{ speed: 0.25 }, 0.25],
    [{ settlement: 1, speed: 0 }, 0.333333],
  ])('renormalizes over the dimensions that have reports: %j', (dims, expected) => {
    expect(computeScoreEvidence([{ reporter: 'a', proof: 'bound', dims, filed_at: T }], T).score).toBe(expected);
  });

  it('averages each dimension over the reports that name it', () => {
    const one: WeighedReport = { reporter: 'a', proof: 'receipt', dims: { reliability: 1, quality: 1 }, filed_at: T };
    const two: WeighedReport = { reporter: 'b', proof: 'receipt', dims: { quality: 0 }, filed_at: T };
    expect(computeScoreEvidence([one, two], T).dims).toEqual({ reliability: 1, quality: 0.5 });
  });

  it.each<[Proof, Proof, number]>([
    ['receipt', 'payment', 0.5],
    ['receipt', 'bound', 0.8],
    ['bound', 'unbound', 0.833333],
    ['payment', 'unbound', 0.952381],
  ])('weighs a report with %s against one with %s', (good, bad, expected) => {
    expect(score([report(1, good, 'a'), report(0, bad, 'b')])).toBe(expected);
  });

  it("halves a report's weight every ninety days", () => {
    const reports = [report(1, 'receipt', 'a', T), report(0, 'receipt', 'b', T + 90 * DAY)];
    expect(score(reports, T + 90 * DAY)).toBe(0.333333);
    expect(score(reports, T + 180 * DAY)).toBe(0.333333);
    expect(score([report(1, 'receipt', 'a', T), report(0, 'receipt', 'b', T + 180 * DAY)], T + 180 * DAY)).toBe(0.2);
  });

  it('treats a report from the future as new', () => {
    expect(score([report(1, 'receipt', 'a', T + 900 * DAY), report(0, 'receipt', 'b', T)])).toBe(0.5);
  });

  it('caps the total weight of one reporter at five', () => {
    const flood = Array.from({ length: 50 }, () => report(0, 'receipt', 'flood'));
    expect(score([...flood, ...many(5, 1, 'receipt')])).toBe(0.5);
  });

  it('lets reports of a capped reporter decay relative to each other', () => {
    const old = Array.from({ length: 50 }, () => report(0, 'receipt', 'one', T));
    const fresh = Array.from({ length: 50 }, () => report(1, 'receipt', 'one', T + 90 * DAY));
    expect(score([...old, ...fresh], T + 90 * DAY)).toBe(0.666667);
  });

  it('caps the weight of all unbound reporters together at that of one bound report', () => {
    expect(score([...many(1000, 1, 'unbound'), report(0, 'bound', 'b')])).toBe(0.5);
    expect(score([...many(5, 1, 'unbound'), report(0, 'bound', 'b')])).toBe(0.5);
    expect(score([...many(4, 1, 'unbound'), report(0, 'bound', 'b')])).toBe(0.444444);
  });

  it('moves less by a thousand praising unbound keys than by one bad report with a receipt', () => {
    for (const before of [
      many(1, 0.5, 'bound'),
      many(1, 0.5, 'receipt'),
      many(10, 0.8, 'receipt'),
      many(40, 0.6, 'bound'),
      many(3, 0.9, 'unbound'),
      many(500, 0.7, 'payment'),
    ]) {
      const from = score(before) as number;
      const praise = many(1000, 1, 'unbound').map((one) => ({ ...one, reporter: `sybil ${one.reporter}` }));
      const bad = report(0, 'receipt', 'served');
      const praised = (score([...before, ...praise]) as number) - from;
      const blamed = from - (score([...before, bad]) as number);
      expect(praised).toBeLessThan(blamed);
      expect(score([...before, ...praise, bad])).toBeLessThan(from);
    }
    expect(score([...many(1000, 1, 'unbound'), report(0, 'receipt', 'served')])).toBe(0.2);
  });

  it('marks a score steady only when time alone does not change it', () => {
    const arbitrary = fc.record({
      reporter: fc.constantFrom('a', 'b', 'c'),
      proof: fc.constantFrom<Proof>('receipt', 'bound', 'unbound'),
      dims: fc.record({
        quality: fc.double({ min: 0, max: 1, noNaN: true }),
        speed: fc.double({ min: 0, max: 1, noNaN: true }),
      }),
      filed_at: fc.integer({ min: T - 400 * DAY, max: T }),
    });
    fc.assert(
      fc.property(fc.array(arbitrary, { maxLength: 30 }), fc.integer({ min: 0, max: 400 }), (reports, days) => {
        const now = computeScoreEvidence(reports, T);
        const later = computeScoreEvidence(reports, T + days * DAY);
        if (now.isSteady) expect(later.score ?? 0).toBeCloseTo(now.score ?? 0, 5);
        expect(now.score ?? 0).toBeGreaterThanOrEqual(0);
        expect(now.score ?? 0).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe('The standing', () => {
  const isSteady = (reports: WeighedReport[]) => computeScoreEvidence(reports, T).isSteady;

  it('is steady up to the most that one reporter and all unbound ones weigh, and not beyond', () => {
    const one = (count: number) => Array.from({ length: count }, () => report(1, 'receipt', 'one'));
    expect([isSteady(one(5)), isSteady(one(6))]).toEqual([true, false]);
    expect([isSteady(many(5, 1, 'unbound')), isSteady(many(6, 1, 'unbound'))]).toEqual([true, false]);
    expect(isSteady(many(6, 1, 'bound'))).toBe(true);
  });

  it('is not steady while a single report is from the future', () => {
    expect(isSteady([report(1, 'bound', 'a', T), report(1, 'bound', 'b', T + 1)])).toBe(false);
  });

  it('ignores reports so old that they weigh nothing any more', () => {
    const centuries = 400 * 365 * DAY;
    expect(computeScoreEvidence([report(1, 'receipt')], T + centuries)).toMatchObject({ score: null, dims: {} });
    expect(score([report(1, 'receipt'), report(0, 'bound', 'b', T + centuries)], T + centuries)).toBe(0);
  });

  it('has six decimal places', () => {
    const { score: all, dims } = computeScoreEvidence([report(1, 'receipt'), ...many(2, 0, 'receipt')], T);
    expect([all, dims]).toEqual([0.333333, { quality: 0.333333 }]);
  });
});

it('A report weighs by its proof alone, before decay and caps', () => {
  expect((['receipt', 'payment', 'bound', 'unbound'] as const).map(getProofWeight)).toEqual([1, 1, 0.25, 0.05]);
});

it('The rules are told in words and numbers, as copies', () => {
  const keys = ['a key'];
  const rules = reportRules(keys);
  expect(rules).toEqual({
    text:
      'A report weighs 1 with a receipt or a settled payment, each of which counts once, 0.25 from a key that an agent ' +
      'has bound, 0.05 from any other key; that weight halves every 90 days since filed_at. What one reporter weighs in ' +
      'all is scaled down to 5. What all unbound reports weigh together is then scaled down to 0.25. A dimension is the ' +
      'weighted mean of the reports that name it; the score is the mean of the dimensions by dimension_weights, over ' +
      'those that have reports. A receipt proves that a caller was served when it is by one of known_daemons, about ' +
      'this agent, and was in no earlier report. In a network, a proof counts that the daemon which hosts the agent has ' +
      'verified.',
    weights: { proven: 1, bound: 0.25, unbound: 0.05 },
    reporter_weight_max: 5,
    unbound_weight_max: 0.25,
    half_life_days: 90,
    dimension_weights: { reliability: 0.4, quality: 0.3, speed: 0.2, settlement: 0.1 },
    known_daemons: ['a key'],
  });
  rules.known_daemons.push('another');
  expect(keys).toEqual(['a key']);
});

describe('creditScore', () => {
  it('uses proven reports only', () => {
    const proven = [report(0.5, 'receipt', 'a'), report(0.5, 'payment', 'b'), report(0.5, 'payment', 'c')];
    expect(creditScore([...many(1_000, 1, 'unbound'), ...many(100, 1, 'bound'), ...proven], T)).toBe(0.5);
  });

  it('is null below a minimum of score evidence, which decays', () => {
    expect(creditScore([], T)).toBeNull();
    expect(creditScore([...many(1_000, 1, 'unbound'), ...many(1_000, 1, 'bound')], T)).toBeNull();
    expect(creditScore(many(2, 1, 'payment'), T)).toBeNull();
    expect(creditScore(many(3, 1, 'payment'), T)).toBe(1);
    expect(creditScore(many(3, 1, 'payment'), T + 90 * DAY)).toBeNull();
  });
});
