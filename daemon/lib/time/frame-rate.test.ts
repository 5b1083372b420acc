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

  it('counts every frame, admitted or not', () => {
    const rate = new FrameRate(new FakeClock(), { framesPerSecond: 1, burst: 2, bytesPerSecond: 100 });
    expect([admitted(rate, 5), rate.framesRead]).toEqual([2, 5]);
  });

  it('refills frames and bytes in proportion to the time, frames over the limit included', () => {
    const clock = new FakeClock();
    const rate = new FrameRate(clock, { framesPerSecond: 10, burst: 2, bytesPerSecond: 1_000 });
    expect(admitted(rate, 3, 0)).toBe(2);
    clock.advance(150);
    expect(rate.admits(0)).toBe(false);
    clock.advance(150);
    expect(rate.admits(0)).toBe(true);
    clock.advance(1_000);
    expect([rate.admits(1_000), rate.admits(1)]).toEqual([true, false]);
    clock.advance(100);
    expect(rate.admits(99)).toBe(true);
  });

  it('says how long bytes over the limit take, and whether frames are over it', () => {
    const clock = new FakeClock();
    const rate = new FrameRate(clock, { framesPerSecond: 10, burst: 3, bytesPerSecond: 1_000 });
    expect([rate.admits(1_000), rate.waitMs(), rate.admits(250), rate.waitMs()]).toEqual([true, 0, false, 250]);
    clock.advance(200);
    expect([rate.waitMs(), rate.isOverFrames]).toEqual([50, false]);
    expect([admitted(rate, 4, 0), rate.isOverFrames]).toEqual([0, true]);
  });
});

describe('the next slice of a socket', () => {
  it('holds hardly more frames than are still admitted, and at least 1 KiB', () => {
    const clock = new FakeClock();
    const rate = new FrameRate(clock);
    expect(rate.sliceBytes).toBe(400 * 6);
    rate.admits(6);
    clock.advance(2);
    rate.admits(6);
    // 398.4 frames are left.
    expect(rate.sliceBytes).toBe(398 * 6);
    expect([admitted(rate, 300), rate.sliceBytes]).toEqual([300, 1_024]);
  });

  it('is empty once a limit is exceeded, and not before', () => {
    const limits = { framesPerSecond: 10, burst: 2, bytesPerSecond: 100 };
    const [frames, bytes] = [new FrameRate(new FakeClock(), limits), new FrameRate(new FakeClock(), limits)];
    expect([admitted(frames, 2), frames.sliceBytes]).toEqual([2, 1_024]);
    expect([frames.admits(0), frames.sliceBytes]).toEqual([false, 0]);
    expect([bytes.admits(100), bytes.sliceBytes]).toEqual([true, 1_024]);
    expect([bytes.admits(1), bytes.sliceBytes]).toEqual([false, 0]);
  });
});
