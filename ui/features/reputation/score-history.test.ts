import { describe, expect, it } from 'vitest';
import type { Proof, SignedReport } from '../../../daemon/contract/network/reputation.js';
import { computeDecayedWeight, createChart, scoreAt, scoreHistory } from './score-history.js';

const rules = {
  text: '',
  weights: { proven: 1, bound: 0.25, unbound: 0.05 },
  reporter_weight_max: 5,
  unbound_weight_max: 0.25,
  half_life_days: 90,
  dimension_weights: { reliability: 0.4, quality: 0.3, speed: 0.2, settlement: 0.1 },
  known_daemons: [],
};
const DAY = 86_400;
const START = 1_750_000_000;

const report = (seq: number, reliability: number, proof: Proof, reporter = `key-${seq}`, day = seq): SignedReport => ({
  seq,
  agent_id: 'painter',
  reporter,
  reporter_agent_id: null,
  ts: START + day * DAY,
  nonce: '',
  method: 'POST',
  path: '',
  body: '',
  sig: '',
  dims: { reliability },
  weight: 1,
  proof,
  filed_at: START + day * DAY,
});

describe('weight of a report', () => {
  it('depends on its proof and halves with every half-life', () => {
    const at = (proof: Proof, days: number) => computeDecayedWeight(report(0, 1, proof), START + days * DAY, rules);
    expect([at('receipt', 0), at('payment', 0), at('bound', 0), at('unbound', 0)]).toEqual([1, 1, 0.25, 0.05]);
    expect(at('receipt', 90)).toBeCloseTo(0.5);
    expect(at('receipt', -3)).toBe(1);
  });
});

describe('score of a log', () => {
  it('is the weighted mean of the dimensions that have reports', () => {
    const log = [report(0, 1, 'receipt', 'a', 0), report(1, 0, 'bound', 'b', 0)];
    expect(scoreAt(log, START, rules)).toBeCloseTo(0.8);
    expect(
      scoreAt([{ ...report(0, 0, 'receipt'), dims: { reliability: 1, settlement: 0 } }], START, rules),
    ).toBeCloseTo(0.8);
    expect(scoreAt([], START, rules)).toBeNull();
    expect(scoreAt([{ ...report(0, 0, 'receipt'), dims: {} }], START, rules)).toBeNull();
  });

  it('limits the weight of one reporter and of all unbound reporters together', () => {
    const loud = Array.from({ length: 45 }, (_, at) => report(at, 0, 'receipt', 'loud', 0));
    expect(
      scoreAt([...loud, ...Array.from({ length: 5 }, (_, at) => report(99, 1, 'receipt', `o${at}`, 0))], START, rules),
    ).toBeCloseTo(0.5);
    const crowd = Array.from({ length: 400 }, (_, at) => report(at, 0, 'unbound', `made-up-${at}`, 0));
    expect(scoreAt([...crowd, report(500, 1, 'receipt', 'served', 0)], START, rules)).toBeCloseTo(0.8);
  });
});

describe('history of a score', () => {
  const log = [report(0, 0.5, 'bound'), report(50, 1, 'receipt'), report(100, 0, 'unbound')];

  it('has a point after each report', () => {
    const history = scoreHistory(log, rules);
    expect(history.map(({ seq, at }) => [seq, at])).toEqual([
      [0, START],
      [50, START + 50 * DAY],
      [100, START + 100 * DAY],
    ]);
    expect(history[0]?.score).toBe(0.5);
    expect(history[1]?.score).toBeGreaterThan(0.9);
    expect(history[2]?.score).toBeLessThan(history[1]?.score ?? 0);
  });

  it('is a step line from the first report to now, with filled dots for proven reports', () => {
    const chart = createChart(
      [
        { seq: 1, at: 0, score: 0.5, proof: 'bound' },
        { seq: 2, at: 50, score: 0.75, proof: 'receipt' },
        { seq: 3, at: 100, score: null, proof: 'unbound' },
      ],
      100,
    );
    expect(chart?.line).toBe('M0 50H50V25H100');
    expect(chart?.dots).toEqual([
      { seq: 1, x: 0, y: 50, isProven: false },
      { seq: 2, x: 50, y: 25, isProven: true },
    ]);
  });

  it('is a level line for one report, and undefined for none', () => {
    expect(createChart([{ seq: 1, at: 7, score: 1, proof: 'receipt' }], 7)?.line).toBe('M0 0H100');
    expect(createChart([], 7)).toBeUndefined();
  });

  it('has no dots when there are too many', () => {
    const many = Array.from({ length: 300 }, (_, at) => ({ seq: at, at, score: 0.5, proof: 'bound' as const }));
    expect(createChart(many, 300)?.dots).toEqual([]);
  });
});
