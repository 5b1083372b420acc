import { describe, expect, it } from 'vitest';
import { aSkill, FOR_FREE, IN_LAMPORTS } from '../../testing/parts/an-agent-spec.js';
import type { AgentSpec } from './agent-spec.js';
import { isPriced, mayBePriced, selectTier } from './skill-prices.js';
import { describeSkill, formatLatency } from './skill-terms.js';

describe('a measured latency', () => {
  it.each([
    [99, 'under 0.1 s'],
    [100, '0.1 s'],
    [9_949, '9.9 s'],
    [9_950, '10 s'],
    [119_999, '120 s'],
    [120_000, '2 minutes'],
  ])('of %i ms is told as %s', (medianMs, told) => {
    expect(formatLatency({ medianMs, answers: 7 })).toBe(`${told}, the median of 7 answers`);
  });
});

describe('the terms of a skill', () => {
  const describeIt = (prices = [IN_LAMPORTS], terms: object = {}, description = 'Counts files.') =>
    describeSkill(aSkill({ description }, prices), { latency: 'a minute', ...terms } as AgentSpec);

  it('are its description alone where it costs nothing', () => {
    expect([describeIt([]), describeIt([FOR_FREE])]).toEqual(['Counts files.', 'Counts files.']);
  });

  it('have each price in lamports, by its tier', () => {
    const rows = [IN_LAMPORTS, FOR_FREE, { ...IN_LAMPORTS, amount: 9, tier: 'max' }];
    expect(describeIt(rows)).toBe(
      'Counts files. Price: 5 lamports per request or 9 lamports per request (max). No free calls. ' +
        'Usual latency: a minute.',
    );
  });

  it.each([
    [undefined, 'No free calls.'],
    [{ calls_per_day: 0, by: 'ip' }, 'No free calls.'],
    [{ calls_per_day: 1, by: 'ip' }, 'Free: 1 call a day for each address.'],
    [{ calls_per_day: 2, by: 'pubkey' }, 'Free: 2 calls a day for each signing key.'],
    [{ calls_per_day: 2, by: 'pubkey+ip' }, 'Free: 2 calls a day for each address.'],
    [{ calls_per_day: 2 }, 'Free: 2 calls a day for each address.'],
  ])('tell the free allowance: %j', (free_tier, told) => {
    expect(describeIt(undefined, { payment: { modes: [], free_tier } })).toContain(` ${told} Usual`);
  });

  it('tell the latency that was measured, if it is known', () => {
    expect(describeIt(undefined, { measuredLatency: () => '2.0 s' })).toContain('Usual latency: 2.0 s.');
    expect(describeIt(undefined, { measuredLatency: () => undefined })).toContain('Usual latency: a minute.');
    expect(describeIt(undefined, {}, ' ')).toMatch(/^Price: .*\.$/);
  });
});

describe('the prices of a skill', () => {
  const tiered = (tier: string, amount = 5) => ({ ...(amount === 0 ? FOR_FREE : IN_LAMPORTS), amount, tier });

  it('name each tier once where another was asked for', () => {
    const skill = aSkill({}, [tiered('mini'), { ...tiered('mini'), network: 'solana:devnet' }, tiered('max')]);
    expect(() => selectTier(skill, { tier: 'huge' })).toThrow(
      '"tier" must be one of mini, max: the others have no price.',
    );
  });

  it('are those of the tier that was named', () => {
    const skill = aSkill({}, [tiered('mini', 0), tiered('max')]);
    expect([isPriced(skill, 'mini'), isPriced(skill, 'max'), isPriced(skill, undefined)]).toEqual([false, true, false]);
    expect([isPriced(aSkill(), undefined), isPriced(aSkill({}, [IN_LAMPORTS]), undefined)]).toEqual([false, true]);
    expect([mayBePriced(skill), mayBePriced(aSkill({}, [FOR_FREE])), mayBePriced(aSkill())]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
