import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawnRows, STEP, seenRows, splitParts } from './drawn-rows.js';

const a = {
  top: fc.integer({ min: -400_000, max: 900 }),
  height: fc.integer({ min: 200, max: 2_000 }),
  count: fc.integer({ min: 0, max: 6_000 }),
};
const ROW_PX = 58;

describe('drawnRows', () => {
  it('contains every visible row and at most a few screens more', () =>
    fc.assert(
      fc.property(a.top, a.height, a.count, (top, height, count) => {
        const seen = seenRows(top, height, ROW_PX, count);
        const drawn = drawnRows(top, height, ROW_PX, count);
        expect(drawn.from).toBeLessThanOrEqual(seen.from);
        expect(drawn.to).toBeGreaterThanOrEqual(seen.to);
        expect(drawn.to - drawn.from).toBeLessThanOrEqual((height + 3_200) / ROW_PX + 2 * STEP + 2);
      }),
    ));

  it('starts at row 0 when the list is not scrolled', () =>
    expect(drawnRows(200, 800, ROW_PX, 5_000)).toEqual({ from: 0, to: 40 }));
});

describe('partsOf', () => {
  it('covers the whole list, each row once and in order', () =>
    fc.assert(
      fc.property(
        a.top,
        a.height,
        a.count,
        fc.option(fc.integer({ min: -1, max: 6_100 }), { nil: undefined }),
        (top, height, count, held) => {
          const parts = splitParts(count, drawnRows(top, height, ROW_PX, count), held);
          expect(parts.reduce((at, { from, to }) => (from === at && to > from ? to : Number.NaN), 0)).toBe(count);
          if (held !== undefined && held >= 0 && held < count)
            expect(parts.some(({ kind, from, to }) => kind === 'rows' && from <= held && held < to)).toBe(true);
        },
      ),
    ));

  it('renders the neighbours of the focused row so that the keyboard can move on from it', () =>
    expect(splitParts(1_000, { from: 400, to: 460 }, 7)).toEqual([
      { kind: 'gap', from: 0, to: 6 },
      { kind: 'rows', from: 6, to: 9 },
      { kind: 'gap', from: 9, to: 400 },
      { kind: 'rows', from: 400, to: 460 },
      { kind: 'gap', from: 460, to: 1_000 },
    ]));
});
