import { describe, expect, it } from 'vitest';
import {
  clampView,
  computeExtent,
  fitted,
  isSeen,
  panned,
  readView,
  SHEET,
  viewText,
  WHOLE_WORLD,
  ZOOM_MAX,
  zoomed,
} from './map-view.js';

const HALF = 0.5;

describe('map view', () => {
  it('never leaves the sheet', () => {
    let view = zoomed(WHOLE_WORLD, HALF, 8);
    for (let step = 0; step < 50; step += 1) view = panned(view, HALF, -0.25, -0.25);
    const { width, height } = computeExtent(view, HALF);
    expect(view).toEqual({ zoom: 8, x: width / 2, y: height / 2 });
  });

  it('has a closest zoom and at most the whole world', () => {
    let view = WHOLE_WORLD;
    for (let step = 0; step < 20; step += 1) view = zoomed(view, HALF, 2);
    expect(view.zoom).toBe(ZOOM_MAX);
    for (let step = 0; step < 20; step += 1) view = zoomed(view, HALF, 0.5);
    expect(view).toEqual(WHOLE_WORLD);
  });

  it('keeps the point under the pointer in place while zooming', () => {
    const around = { x: 600, y: 200 };
    const before = zoomed(WHOLE_WORLD, HALF, 4, around);
    const after = zoomed(before, HALF, 2, around);
    const share = (view: typeof before) => (around.x - view.x) / computeExtent(view, HALF).width;
    expect(share(after)).toBeCloseTo(share(before), 6);
  });

  it('centres a frame that is taller than the world', () => {
    expect(clampView({ zoom: 1, x: 0, y: 0 }, 0.8)).toEqual({ zoom: 1, x: SHEET.width / 2, y: SHEET.height / 2 });
  });

  it('fits the given points', () => {
    const points = [
      { x: 400, y: 100 },
      { x: 440, y: 130 },
    ];
    const view = fitted(points, HALF);
    expect(points.every((point) => isSeen(view, HALF, point))).toBe(true);
    expect(view.zoom).toBeGreaterThan(10);
    expect(fitted([{ x: 400, y: 100 }], HALF).zoom).toBe(ZOOM_MAX);
    expect(fitted([{ x: 400, y: 100 }], HALF, 12).zoom).toBe(12);
    expect(fitted([], HALF)).toEqual(WHOLE_WORLD);
  });

  it('round-trips through the query parameter', () => {
    const view = { zoom: 8, x: 470.5, y: 120.25 };
    expect(viewText(view)).toBe('8_470.5_120.25');
    expect(readView(viewText(view))).toEqual(view);
    expect(viewText(WHOLE_WORLD)).toBeUndefined();
  });

  it.each([undefined, '', '8', '8_x_1', '8_1', '0.5_1_1', '8_1_1_1', 'NaN_1_1'])(
    'is the whole world for %s',
    (text) => {
      expect(readView(text)).toEqual(WHOLE_WORLD);
    },
  );

  it('is limited when read from the query parameter', () => {
    expect(readView('9999_-50_9999')).toEqual({ zoom: ZOOM_MAX, x: 0, y: SHEET.height });
  });
});
