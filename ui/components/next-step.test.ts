import { describe, expect, it } from 'vitest';
import { nextStep } from './next-step.js';

describe('nextStep', () => {
  it('returns a different step for each client error, and none where only a retry helps', () => {
    const steps = [401, 403, 404, 409, 422].map(nextStep);
    expect(steps).not.toContain(undefined);
    expect(new Set(steps).size).toBe(steps.length);
    expect([0, 500, 503].map(nextStep)).toEqual([undefined, undefined, undefined]);
  });
});
