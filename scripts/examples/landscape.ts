import { sha256 } from '../../daemon/lib/crypto/digests.js';
import { Dice } from '../../daemon/testing/dice.js';
import { encodePng } from './png.js';
import { type Colour, colour, mixed, Raster, smooth } from './raster.js';

export const IMAGE_WIDTH = 640;
export const IMAGE_HEIGHT = 360;

interface Palette {
  name: string;
  /** Words of a prompt that select this mood. */
  words: RegExp;
  sky: readonly [top: string, middle: string, horizon: string];
  light: string;
  land: readonly [far: string, near: string];
  isDark: boolean;
}

const MOODS: readonly Palette[] = [
  {
    name: 'night',
    words: /\b(night|moon|stars?|midnight|dark|sleep|dream)/i,
    sky: ['#050914', '#101d3d', '#33456f'],
    light: '#f3efdc',
    land: ['#1f2c4c', '#05070f'],
    isDark: true,
  },
  {
    name: 'dusk',
    words: /\b(dusk|sunset|evening|harbou?r|lamps?|lights?|city|autumn|fire)/i,
    sky: ['#1c1f4a', '#8a3f6b', '#f6a35c'],
    light: '#ffe0a3',
    land: ['#7a4a6c', '#140f26'],
    isDark: true,
  },
  {
    name: 'dawn',
    words: /\b(dawn|morning|sunrise|launch|new|spring|flower|hope|start)/i,
    sky: ['#5b7fc4', '#f0a9b0', '#ffe3b3'],
    light: '#fff6dd',
    land: ['#b78ba3', '#2d3350'],
    isDark: false,
  },
  {
    name: 'forest',
    words: /\b(forest|tree|green|garden|wood|leaf|leaves|nature|moss)/i,
    sky: ['#7fb2c9', '#bcd8c9', '#eef2d3'],
    light: '#fffbe6',
    land: ['#8db59b', '#0f2a21'],
    isDark: false,
  },
  {
    name: 'winter',
    words: /\b(winter|snow|ice|cold|frost|mountain|alp|north)/i,
    sky: ['#3d6694', '#9fc0dc', '#f1f5fa'],
    light: '#ffffff',
    land: ['#c6d8e8', '#3c5673'],
    isDark: false,
  },
  {
    name: 'desert',
    words: /\b(desert|sand|summer|heat|dune|dry|gold|coffee)/i,
    sky: ['#3f7fb0', '#f2c48a', '#fbe6bd'],
    light: '#fff3cf',
    land: ['#e0a565', '#6b3518'],
    isDark: false,
  },
];

const WATER = /\b(sea|ocean|harbou?r|lake|river|water|boat|ship|port|coast|beach|wave|fish|rain)/i;
const LAMPS = /\b(lamps?|lights?|city|town|harbou?r|house|village|street|party)/i;

/** Returns the height of a ridge for each x of the picture: a sum of waves with halving amplitude. */
function ridge(next: () => number, base: number, height: number): (x: number) => number {
  const waves = [1, 2.1, 4.3, 9.1, 19].map((frequency, index) => ({
    frequency: frequency * (0.8 + 0.4 * next()),
    phase: next() * Math.PI * 2,
    size: height / 2 ** index,
  }));
  const heights = Float64Array.from({ length: IMAGE_WIDTH }, (_, x) =>
    waves.reduce(
      (y, { frequency, phase, size }) => y - size * Math.sin((x / IMAGE_WIDTH) * frequency * Math.PI + phase),
      base,
    ),
  );
  return (x) => heights[Math.floor(x)] ?? base;
}

function paintSky(picture: Raster, mood: Palette, horizon: number): void {
  const [top, middle, bottom] = mood.sky.map(colour) as [Colour, Colour, Colour];
  picture.lay((_x, y) => {
    const t = y / horizon;
    return [t < 0.55 ? mixed(top, middle, t / 0.55) : mixed(middle, bottom, (t - 0.55) / 0.45), 1];
  });
}

function paintStars(picture: Raster, next: () => number, horizon: number): void {
  for (let i = 0; i < 140; i += 1) {
    const [x, y] = [next() * IMAGE_WIDTH, next() * horizon * 0.8];
    picture.disc(x, y, 0.3 + next() * 0.6, [1, 1, 0.95], 2, 0.35 * next());
  }
}

function paintWater(picture: Raster, next: () => number, mood: Palette, horizon: number, sunX: number): void {
  const deep = mixed(colour(mood.sky[0]), colour(mood.land[1]), 0.45);
  const light = colour(mood.light);
  const phases = Array.from({ length: 6 }, () => next() * Math.PI * 2);
  picture.lay((x, y) => {
    const depth = (y - horizon) / (IMAGE_HEIGHT - horizon);
    const mirrored = picture.at(x, Math.max(0, Math.round(horizon - 1 - (y - horizon) * 0.9)));
    const scale = 0.08 + depth * 0.9;
    const ripple =
      phases.reduce((sum, phase, i) => sum + Math.sin(x / (9 * scale * (i + 1) + 4) + (y * (i + 2)) / 5 + phase), 0) /
      6;
    const path = Math.exp(-(((x - sunX) / (24 + depth * 90)) ** 2)) * Math.max(0, ripple) * (1 - depth * 0.5);
    return [mixed(mixed(mirrored, deep, 0.25 + depth * 0.6 + ripple * 0.05), light, path * 0.9), 1];
  }, horizon);
}

function paintLamps(picture: Raster, next: () => number, surface: (x: number) => number, count: number): void {
  for (let i = 0; i < count; i += 1) {
    const x = 12 + next() * (IMAGE_WIDTH - 24);
    const y = surface(x) + 4 + next() * 22;
    picture.disc(x, y, 1 + next() * 0.9, colour('#ffd58a'), 9, 0.45);
  }
}

/**
 * Draws a picture for `prompt`: layered hills under a sky, at a time of day, with water or lamps as its words select.
 * Without such words the mood is chosen by the digest of the prompt. The result is deterministic.
 */
export function drawLandscape(prompt: string): { png: Buffer; mood: string } {
  const digest = sha256(prompt.normalize('NFC').trim().toLowerCase());
  const { random: next } = new Dice(digest.readUInt32LE(0));
  const chosen = Math.floor(next() * MOODS.length);
  const mood = MOODS.find(({ words }) => words.test(prompt)) ?? (MOODS[chosen] as Palette);
  const hasWater = WATER.test(prompt);
  const horizon = Math.round(IMAGE_HEIGHT * (hasWater ? 0.62 : 0.72));
  const picture = new Raster(IMAGE_WIDTH, IMAGE_HEIGHT);
  const sunX = IMAGE_WIDTH * (0.2 + 0.6 * next());

  paintSky(picture, mood, horizon);
  if (mood.isDark) paintStars(picture, next, horizon);
  picture.disc(sunX, horizon * (0.28 + 0.4 * next()), 16 + next() * 16, colour(mood.light), 130, 0.4);

  const [far, near] = mood.land.map(colour) as [Colour, Colour];
  const haze = colour(mood.sky[2]);
  const layers = hasWater ? 3 : 5;
  let last = ridge(next, horizon, 0);
  for (let i = 0; i < layers; i += 1) {
    const t = i / (layers - 1);
    const base = hasWater ? horizon - 26 + t * 16 : horizon - 70 + t * 120;
    const surface = ridge(next, base, hasWater ? 26 - t * 12 : 30 - t * 6);
    const body = mixed(far, near, hasWater ? t * 0.7 : t);
    picture.lay(
      (x, y) => {
        const cover = smooth(surface(x) - 0.8, surface(x) + 0.8, y);
        return cover > 0 ? [mixed(body, haze, (1 - t) * 0.35 * smooth(0, 70, y - surface(x))), cover] : undefined;
      },
      base - 70,
      hasWater ? horizon : IMAGE_HEIGHT,
    );
    last = surface;
  }
  if (LAMPS.test(prompt)) paintLamps(picture, next, last, hasWater ? 26 : 40);
  if (hasWater) paintWater(picture, next, mood, horizon, sunX);
  return { png: encodePng(IMAGE_WIDTH, IMAGE_HEIGHT, picture.toBytes()), mood: mood.name };
}
