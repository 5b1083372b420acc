import { describe, expect, it } from 'vitest';
import { pacedFrames } from './paced-frames.js';

/** Simulates frames every 16 ms where each draw takes `drawMs`. */
function frames() {
  let now = 0;
  const waiting: { at: number; run: () => void }[] = [];
  const at = (ms: number, run: () => void) => void waiting.push({ at: now + ms, run });
  const drawn: number[] = [];
  const state = { drawMs: 4 };
  const next = pacedFrames({
    now: () => now,
    requestFrame: (run) => at(16 - (now % 16), run),
    afterFrame: (run) => at(0, run),
    setTimeout: (run, ms) => at(ms, run),
  });
  const draw = () => {
    drawn.push(now);
    now += state.drawMs;
    next(draw);
  };
  return {
    drawn,
    state,
    next,
    draw,
    until(end: number) {
      for (;;) {
        waiting.sort((a, b) => a.at - b.at);
        const due = waiting[0];
        if (!due || due.at > end) return;
        waiting.shift();
        now = Math.max(now, due.at);
        due.run();
      }
    },
  };
}

describe('pacedFrames', () => {
  it('draws in every frame when drawing is cheap', () => {
    const { drawn, next, draw, until } = frames();
    next(draw);
    until(100);
    expect(drawn).toEqual([16, 32, 48, 64, 80, 96]);
  });

  it('leaves the page idle for as long as the last draw exceeded a frame', () => {
    const { drawn, state, next, draw, until } = frames();
    state.drawMs = 24;
    next(draw);
    until(200);
    expect(drawn).toEqual([16, 64, 112, 160]);
  });

  it('waits at most 100 ms between draws', () => {
    const { drawn, state, next, draw, until } = frames();
    state.drawMs = 1_000;
    next(draw);
    until(10_000);
    for (const [n, at] of drawn.slice(2).entries())
      expect(at - (drawn[n + 1] as number)).toBeLessThanOrEqual(1_000 + 100 + 16);
  });
});
