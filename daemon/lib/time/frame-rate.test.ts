import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.js';
import { FrameRate } from './frame-rate.js';

const admitted = (rate: FrameRate, count: number, bytes = 10) =>
  Array.from({ length: count }, () => rate.admits(bytes)).filter((isAdmitted) => isAdmitted).length;

describe('frame rate of one socket', () => {
  it('admits a burst of 400 frames, then 200 per second', () => {
    const clock = new FakeClock();
    const rate = new FrameRate(clock);
    expect(admitted(rate, 400)).toBe(400);
    expect(rate.admits(10)).toBe(false);
    const later = new FakeClock();
    const paced = new FrameRate(later);
    for (let second = 0; second < 10; second += 1) {
      expect(admitted(paced, 200)).toBe(200);
      later.advance(1000);
    }
  });

  it('admits a megabyte per second', () => {
    const clock = new FakeClock();
    const rate = new FrameRate(clock);
    expect(admitted(rate, 16, 65_536)).toBe(16);
    expect(rate.admits(1)).toBe(false);
    clock.advance(1000);
    expect(rate.admits(65_536)).toBe(true);
  });

  it('never admits more than the burst after a long pause', () => {
    const clock = new FakeClock();
    const rate = new FrameRate(clock);
    clock.advance(3_600_000);
    expect(admitted(rate, 1000)).toBe(400);
  });
});
